import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import type { BuiltinTool } from '../../define-tool.ts';
import { rssRead } from './rss-read.ts';
import { urlCheck } from './url-check.ts';
import { webScrape } from './web-scrape.ts';
import { wikipediaSearch } from './wikipedia-search.ts';

const asked: string[] = [];
type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let pages: Record<string, Answer | string>;
const server = createServer((request, response) => {
  const path = request.url ?? '';
  asked.push(path);
  const page = pages[path.split('?')[0] ?? ''];
  if (page === undefined) response.writeHead(404).end('none');
  else if (typeof page === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  else page(request, response);
});
let url: string;
let tools: TestTools;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  tools = await createTestTools({ privateHosts: `127.0.0.1:${port}` });
});
afterAll(async () => {
  await tools.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked.length = 0;
  pages = {};
});

async function call(tool: BuiltinTool, args: ToolArguments) {
  const { value, isForeign } = await prepareCall(tool, args).run(tools.context);
  expect(isForeign).toBe(true);
  return value;
}

const typed =
  (type: string, body: string | Buffer): Answer =>
  (_request, response) =>
    response.writeHead(200, { 'content-type': type }).end(body);

const ARTICLE = `<!doctype html><html lang="en"><head><title>The heron</title>
  <meta name="author" content="A. Writer"><meta name="description" content="About a bird">
  <meta property="article:published_time" content="2026-11-01"></head>
  <body><nav><a href="/menu">Menu</a></nav><article><h1>The heron</h1>
  <p>${'A heron stands in shallow water and waits, which is most of what it does. '.repeat(8)}</p>
  <h2>Food</h2><ul><li>fish</li><li>frogs</li></ul><p>See <a href="food?x=1#top">what it eats</a>. ${'It is patient. '.repeat(20)}</p>
  </article><script>alert(1)</script><footer>Imprint</footer></body></html>`;

test.each([
  [webScrape, 'Reading example.com/a'],
  [rssRead, 'Reading the feed of example.com/a'],
  [urlCheck, 'Checking example.com/a'],
])('two addresses of one host are told apart, without what a query may hold', (tool, label) => {
  expect(prepareCall(tool, { url: 'https://example.com/a?key=secret' })).toMatchObject({ label });
});

describe('web_scrape', () => {
  test('answers the readable text of a page as Markdown', async () => {
    pages['/birds/heron'] = ARTICLE;
    const text = String(await call(webScrape, { url: `${url}/birds/heron`, include_links: true }));
    expect(text).toMatch(
      /^# The heron\naddress: .*\/birds\/heron\nauthor: A\. Writer\npublished: 2026-11-01\ndescription: About a bird\n/,
    );
    expect(text).toContain('## Food\n\n- ');
    expect(text).toContain(`[what it eats](${url}/birds/food?x=1#top)`);
    expect(text).toMatch(/## Links\n\n.*- \[Menu\]/s);
    expect(text).not.toContain('alert');
    expect(text.split('## Links')[0]).not.toContain('Imprint');
  });

  test('answers plain text, HTML, and the parts that a selector names', async () => {
    pages['/'] = ARTICLE;
    const plain = String(await call(webScrape, { url, format: 'text' }));
    expect(plain).toContain('See what it eats.');
    expect(plain).not.toContain('](');
    const html = String(await call(webScrape, { url, format: 'html', selector: 'li' }));
    expect(html).toContain('<li>fish</li>\n<li>frogs</li>');
    await expect(call(webScrape, { url, selector: 'li[' })).rejects.toMatchObject({ kind: 'invalid_input' });
    await expect(call(webScrape, { url, selector: 'video' })).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('follows links of the same site, and no other ones', async () => {
    const link = (...to: string[]) =>
      `<html><body>${to.map((each) => `<p><a href="${each}">to ${each}</a></p>`).join('')}</body></html>`;
    pages['/'] = link('/a', '/b.pdf', 'http://127.0.0.1:9/x', '/c', '/a#again', '/secret');
    pages['/a'] = link('/d');
    pages['/d'] = link('/e');
    pages['/robots.txt'] = typed('text/plain', 'User-agent: *\nDisallow: /secret\n');
    const text = String(await call(webScrape, { url: `${url}/`, max_pages: 4 }));
    expect(asked).toEqual(['/robots.txt', '/', '/a', '/c', '/d']);
    expect(text).toContain(`# ${url}/c\n\n[Not read: The address answers with the status 404]`);
    expect(text.split('\n\n---\n\n')).toHaveLength(4);
  });

  test('reads what robots.txt forbids neither at once nor later', async () => {
    pages['/robots.txt'] = typed('text/plain', 'User-agent: everturn\nDisallow: /\n');
    await expect(call(webScrape, { url: `${url}/x` })).rejects.toMatchObject({ kind: 'denied' });
    expect(asked).toEqual(['/robots.txt']);
  });

  test.each([
    ['its header', 'text/html; charset=iso-8859-1', ''],
    ['the page itself', 'text/html', '<meta charset="iso-8859-1">'],
  ])('takes the character set from %s', async (_name, type, meta) => {
    pages['/'] = typed(
      type,
      Buffer.from(`<html><head>${meta}<title>Käse</title></head><body>Größe</body></html>`, 'latin1'),
    );
    expect(await call(webScrape, { url })).toMatch(/^# Käse\n[^]*Größe/);
  });

  test('says that it is not sure of a character set that nothing declares', async () => {
    const notice = /\n\n\[The text does not say its encoding\. It was read as windows-1252;/;
    pages['/'] = typed('text/html', Buffer.from('<html><title>Cafe</title><body>Café</body></html>', 'latin1'));
    expect(await call(webScrape, { url })).toMatch(notice);
    pages['/'] = typed('text/html', '<html><title>Cafe</title><body>Café</body></html>');
    expect(await call(webScrape, { url })).not.toMatch(notice);
  });

  test('answers other text as it is, and refuses what is none', async () => {
    pages['/notes.txt'] = typed('text/plain', 'one\ntwo');
    expect(await call(webScrape, { url: `${url}/notes.txt` })).toMatch(/\n\none\ntwo$/);
    pages['/a'] = typed('application/pdf', '%PDF');
    await expect(call(webScrape, { url: `${url}/a` })).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test('ends with a page that is made to be hard to read', async () => {
    pages['/deep'] = `<html><body>${'<div>'.repeat(50_000)}end`;
    pages['/wide'] = `<html><body>${'<p>a<b>b'.repeat(50_000)}`;
    const hurried = await createTestTools({ privateHosts: new URL(url).host, computingMs: 1_000 });
    for (const path of ['/deep', '/wide']) {
      const asked = prepareCall(webScrape, { url: `${url}${path}` }).run(hurried.context);
      const outcome = await asked.then(
        ({ value }) => value,
        (error: unknown) => error,
      );
      if (typeof outcome !== 'string') expect(outcome).toMatchObject({ kind: 'invalid_input' });
    }
    await hurried.close();
  });
});

describe('rss_read', () => {
  test('reads a feed in the encoding that it declares', async () => {
    const start = '<?xml version="1.0" encoding="Shift_JIS"?><rss version="2.0"><channel><title>';
    const end = '</title><item><title>a</title></item></channel></rss>';
    const title = Buffer.from('93fa967b8cea', 'hex');
    const feed = Buffer.concat([Buffer.from(start), title, Buffer.from(end)]);
    pages['/feed'] = typed('application/rss+xml', feed);
    expect(await call(rssRead, { url: `${url}/feed` })).toMatchObject({ title: '日本語' });
  });

  test('says that it is not sure of an encoding that nothing declares', async () => {
    const feed = '<rss version="2.0"><channel><title>Café</title><item><title>a</title></item></channel></rss>';
    pages['/feed'] = typed('application/rss+xml', Buffer.from(feed, 'latin1'));
    const notice = expect.stringContaining('It was read as windows-1252');
    expect(await call(rssRead, { url: `${url}/feed` })).toMatchObject({ title: 'Café', notice });
  });

  const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
    <item><title>Old</title><link>http://example.com/old</link><pubDate>Mon, 02 Nov 2026 08:00:00 GMT</pubDate></item>
    <item><title>New &amp; good</title><link>/new</link><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>
      <description><![CDATA[<p>Some <b>bold</b> words</p>]]></description></item></channel></rss>`;

  test('answers the entries of an RSS feed, newest first', async () => {
    pages['/feed'] = typed('application/rss+xml', rss);
    expect(await call(rssRead, { url: `${url}/feed` })).toEqual({
      format: 'rss',
      title: 'News',
      total: 2,
      entries: [
        {
          title: 'New & good',
          url: `${url}/new`,
          published_at: '2026-11-20T08:00:00.000Z',
          author: null,
          summary: 'Some bold words',
        },
        {
          title: 'Old',
          url: 'http://example.com/old',
          published_at: '2026-11-02T08:00:00.000Z',
          author: null,
          summary: null,
        },
      ],
    });
    expect(await call(rssRead, { url: `${url}/feed`, since: '2026-11-10' })).toMatchObject({ total: 1 });
    await expect(call(rssRead, { url: `${url}/feed`, since: 'lately' })).rejects.toMatchObject({
      kind: 'invalid_input',
    });
  });

  test('reads Atom and JSON feeds', async () => {
    pages['/atom'] = typed(
      'application/atom+xml',
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>Atoms</title><entry><title>One</title><id>1</id>
        <link href="/one"/><updated>2026-11-01T00:00:00Z</updated><author><name>Ada</name></author><summary>First</summary></entry></feed>`,
    );
    expect(await call(rssRead, { url: `${url}/atom` })).toMatchObject({
      format: 'atom',
      entries: [
        { title: 'One', url: `${url}/one`, author: 'Ada', published_at: '2026-11-01T00:00:00.000Z', summary: 'First' },
      ],
    });
    const items = [
      { id: '1', url: 'https://example.com/1', content_text: 'Words', date_published: '2026-11-02T00:00:00Z' },
    ];
    pages['/json'] = typed(
      'application/feed+json',
      JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'J', items }),
    );
    expect(await call(rssRead, { url: `${url}/json` })).toMatchObject({
      format: 'json',
      entries: [{ title: null, url: 'https://example.com/1', summary: 'Words' }],
    });
  });

  test('refuses what is no feed, and XML that would grow without end', async () => {
    pages['/page'] = ARTICLE;
    const laughs = Array.from({ length: 30 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
    const bomb = `<?xml version="1.0"?><!DOCTYPE r [<!ENTITY l0 "ha">${laughs}]><rss version="2.0"><channel><title>&l30;</title></channel></rss>`;
    pages['/bomb'] = typed('application/rss+xml', bomb);
    await expect(call(rssRead, { url: `${url}/page` })).rejects.toMatchObject({ kind: 'invalid_input' });
    const outcome = await call(rssRead, { url: `${url}/bomb` }).catch((error: unknown) => error);
    expect(JSON.stringify(outcome).length).toBeLessThan(10_000);
  });
});

describe('url_check', () => {
  test('shows the redirects to an address, and whether the answer is the expected one', async () => {
    pages['/a'] = (_request, response) => response.writeHead(301, { location: '/b' }).end();
    pages['/b'] = 'all is well';
    const good = { ok: true, status: 200, address: `${url}/b`, redirects: [{ status: 301, to: `${url}/b` }] };
    expect(await call(urlCheck, { url: `${url}/a`, expect_text: 'well' })).toMatchObject({
      ...good,
      time_ms: expect.any(Number),
      certificate_expires_at: null,
    });
    expect(await call(urlCheck, { url: `${url}/b`, expect_text: 'ill' })).toMatchObject({
      ok: false,
      problem: 'The response does not contain the text',
    });
    expect(await call(urlCheck, { url: `${url}/none` })).toMatchObject({ ok: false, status: 404 });
    expect(await call(urlCheck, { url: `${url}/none`, expect_status: 404, method: 'HEAD' })).toMatchObject({
      ok: true,
    });
  });

  test('says why nothing answers, and refuses private addresses on the way', async () => {
    const { port } = server.address() as AddressInfo;
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const address = `127.0.0.1:${(gone.address() as AddressInfo).port}`;
    gone.close();
    const closed = await createTestTools({ privateHosts: address });
    const { value } = await prepareCall(urlCheck, { url: `http://${address}` }).run(closed.context);
    expect(value).toMatchObject({ ok: false, problem: expect.stringContaining('refused') });
    await expect(prepareCall(urlCheck, { url: `http://127.0.0.1:${port}` }).run(closed.context)).rejects.toMatchObject({
      kind: 'denied',
    });
    await closed.close();
    pages['/in'] = (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    await expect(call(urlCheck, { url: `${url}/in` })).rejects.toMatchObject({ kind: 'denied' });
  });
});

describe('wikipedia_search', () => {
  const answers = (body: unknown) => {
    pages['/w/api.php'] = typed('application/json', JSON.stringify(body));
  };
  // The server stands in the place of Wikipedia's.
  const ask = async (args: ToolArguments) => {
    const { http } = tools.context;
    const request: typeof http.request = async (wanted) => {
      expect(wanted.url).toMatch(/^https:\/\/[a-z]+\.wikipedia\.org\//);
      return http.request({ ...wanted, url: wanted.url.replace(/^https:\/\/[^/]+/, url) });
    };
    return (await prepareCall(wikipediaSearch, args).run({ ...tools.context, http: { ...http, request } })).value;
  };

  test('finds articles', async () => {
    const snippet = 'a <span class="searchmatch">bird</span> &quot;of&quot; water';
    answers({ query: { search: [{ title: 'Grey heron', snippet, wordcount: 7, timestamp: '2026-01-01T00:00:00Z' }] } });
    expect(await ask({ query: 'Reiher', language: 'de' })).toEqual({
      results: [
        {
          title: 'Grey heron',
          excerpt: 'a bird "of" water',
          words: 7,
          changed_at: '2026-01-01T00:00:00Z',
          url: 'https://de.wikipedia.org/wiki/Grey_heron',
        },
      ],
    });
    expect(asked[0]).toContain('srsearch=Reiher');
  });

  test('reads an article', async () => {
    answers({
      query: { pages: [{ title: 'Heron', fullurl: 'https://en.wikipedia.org/wiki/Heron', extract: 'A bird.' }] },
    });
    expect(await ask({ query: 'heron', title: 'Heron', sentences: 2 })).toBe(
      '# Heron\nhttps://en.wikipedia.org/wiki/Heron\n\nA bird.',
    );
    expect(asked[0]).toContain('exsentences=2');
    answers({ query: { pages: [{ title: 'Heron', missing: true }] } });
    await expect(ask({ query: 'heron', title: 'Heron' })).rejects.toMatchObject({ kind: 'not_found' });
    answers({ error: 'busy' });
    await expect(ask({ query: 'heron' })).rejects.toMatchObject({ kind: 'upstream' });
  });
});
