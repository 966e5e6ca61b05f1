import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { json, type Reply } from '../../../../test/support/outside-server.ts';
import { type ServiceFixture, startService } from '../../../../test/support/services/service-fixture.ts';
import { confluence } from './confluence.ts';

const TOKEN = 'an-api-token-of-the-tests';
let fixture: ServiceFixture;
beforeAll(async () => {
  fixture = await startService(confluence, {
    kind: 'confluence',
    secrets: { email: 'ann@example.com', api_token: TOKEN },
  });
});
afterAll(async () => fixture.close());

interface Page {
  id: string;
  title: string;
  version: { number: number; message?: string };
  body: { atlas_doc_format: { value: string } };
}

const document = (words: string) =>
  JSON.stringify({
    type: 'doc',
    version: 1,
    content: [{ type: 'paragraph', content: [{ type: 'text', text: words, marks: [{ type: 'strong' }] }] }],
  });

/** A page by the rules of Confluence: the next version has the next number, and no other. */
let page: Page;
/** What happens before the page is changed. */
let beforePut: (() => void)[];
beforeEach(() => {
  page = { id: '77', title: 'Plan', version: { number: 4 }, body: { atlas_doc_format: { value: document('old') } } };
  beforePut = [];
  fixture.server.seen.length = 0;
  fixture.server.reply = (response, request) => {
    if (request.method === 'GET')
      return json({ ...page, status: 'current', parentId: null, _links: { webui: '/spaces/TEAM/pages/77' } })(
        response,
        request,
      );
    beforePut.shift()?.();
    const { title, version, body } = JSON.parse(request.body) as {
      title: string;
      version: Page['version'];
      body: { value: string };
    };
    if (version.number !== page.version.number + 1)
      return json(
        {
          errors: [
            {
              status: 409,
              title: `Version must be incremented when updating a page. Current Version: [${page.version.number}]`,
            },
          ],
        },
        409,
      )(response, request);
    page = { ...page, title, version, body: { atlas_doc_format: { value: body.value } } };
    return json(page)(response, request);
  };
});

const use: ServiceFixture['use'] = async (args) => fixture.use(args);
const bodies = () => fixture.server.seen.map(({ body }) => (body === '' ? undefined : (JSON.parse(body) as unknown)));
const change = { action: 'update', page_id: '77', body: '**new**' };
const somebodyChanges = () => {
  page = { ...page, version: { number: page.version.number + 1 } };
};

describe('confluence', () => {
  test('reads a page in Markdown, with its version', async () => {
    expect(await use({ action: 'get', page_id: '77' })).toEqual({
      id: '77',
      title: 'Plan',
      status: 'current',
      version: 4,
      path: '/spaces/TEAM/pages/77',
      body: '**old**',
    });
    expect(fixture.server.seen).toMatchObject([
      {
        url: '/wiki/api/v2/pages/77?body-format=atlas_doc_format',
        headers: { authorization: `Basic ${btoa(`ann@example.com:${TOKEN}`)}` },
      },
    ]);
  });

  test('changes a page to its next version, once for a repeated call', async () => {
    expect(confluence.prepare(change)).toMatchObject({ effect: 'keyed', approval: 'writes' });
    expect(await use(change)).toEqual({ id: '77', title: 'Plan', version: 5 });
    expect(page).toMatchObject({ title: 'Plan', body: { atlas_doc_format: { value: document('new') } } });
    expect(await use(change)).toEqual({ id: '77', title: 'Plan', version: 5 });
    expect(page.version).toEqual({
      number: 5,
      message: `Changed by an agent (${fixture.tools.context.idempotencyKey})`,
    });
  });

  test('gives a page another title and leaves its content', async () => {
    expect(await use({ action: 'update', page_id: '77', title: 'Plan B' })).toMatchObject({
      title: 'Plan B',
      version: 5,
    });
    expect(page.body.atlas_doc_format.value).toBe(document('old'));
  });

  test('reads a page again that somebody has changed in the meantime', async () => {
    beforePut = [somebodyChanges, somebodyChanges];
    expect(await use(change)).toMatchObject({ version: 7 });
    expect(page.body.atlas_doc_format.value).toBe(document('new'));
  });

  test('gives up on a page that others change all the time', async () => {
    beforePut = [somebodyChanges, somebodyChanges, somebodyChanges];
    await expect(use(change)).rejects.toMatchObject({
      kind: 'upstream',
      message: expect.stringMatching(/at the same time, 3 times/),
    });
  });

  test.each([
    ['before', () => {}, 3, 4],
    ['while it is changed', somebodyChanges, 4, 5],
  ])(
    'leaves a page alone that was changed %s, when the change is for the version that was read',
    async (_when, before, version, now) => {
      beforePut = [before];
      await expect(use({ ...change, version })).rejects.toMatchObject({
        kind: 'invalid_input',
        message: `The page has the version ${now} now, not ${version}: read it again, and change what it says now`,
      });
      expect(page.body.atlas_doc_format.value).toBe(document('old'));
    },
  );

  test('creates a page in a space by its key, below another one, and comments', async () => {
    const replies: Reply[] = [
      json({ results: [{ id: '9', key: 'TEAM', name: 'Team' }], _links: {} }),
      json({ id: '78' }),
      json({ id: '5' }),
    ];
    fixture.server.reply = (response, request) => replies.shift()?.(response, request);
    const args = { action: 'create', space_key: 'TEAM', parent_id: '77', title: 'Notes', body: '**new**' };
    expect(confluence.prepare(args)).toMatchObject({ effect: 'once' });
    expect(await use(args)).toEqual({ id: '78', version: 1 });
    expect(confluence.prepare({ action: 'comment', page_id: '78', comment: 'x' })).toMatchObject({ effect: 'once' });
    expect(await use({ action: 'comment', page_id: '78', comment: '**new**' })).toEqual({ id: '5' });
    expect(fixture.server.seen.map(({ url }) => url)).toEqual([
      '/wiki/api/v2/spaces?keys=TEAM&limit=1',
      '/wiki/api/v2/pages',
      '/wiki/api/v2/footer-comments',
    ]);
    const body = { representation: 'atlas_doc_format', value: document('new') };
    expect(bodies().slice(1)).toEqual([
      { spaceId: '9', parentId: '77', status: 'current', title: 'Notes', body },
      { pageId: '78', body },
    ]);
  });

  test('searches by CQL and lists spaces, page by page', async () => {
    const hit = {
      content: { id: '77', type: 'page', status: 'current' },
      title: 'The @@@hl@@@plan@@@endhl@@@',
      excerpt: 'a @@@hl@@@plan@@@endhl@@@',
      lastModified: '2026-01-01',
      resultGlobalContainer: { title: 'Team' },
    };
    fixture.server.reply = json({ results: [hit], _links: { next: '/rest/api/search?cql=x&limit=25&cursor=abc%3D' } });
    expect(await use({ action: 'search', cql: 'text ~ "plan"' })).toEqual({
      results: [
        { id: '77', type: 'page', title: 'The plan', excerpt: 'a plan', space: 'Team', changed_at: '2026-01-01' },
      ],
      next: 'abc=',
    });
    fixture.server.reply = json({
      results: [{ id: '9', key: 'TEAM', name: 'Team', type: 'global', icon: {} }],
      _links: { base: 'x' },
    });
    expect(await use({ action: 'list_spaces', cursor: 'abc=' })).toEqual({
      spaces: [{ id: '9', key: 'TEAM', name: 'Team', type: 'global' }],
    });
    expect(fixture.server.seen.map(({ url }) => url)).toEqual([
      '/wiki/rest/api/search?cql=text+%7E+%22plan%22&limit=25',
      '/wiki/api/v2/spaces?limit=25&cursor=abc%3D',
    ]);
  });

  test.each([
    [{ action: 'get', page_id: '../77' }, /page_id/],
    [{ action: 'create', space_key: 'A/B', title: 'x', body: 'x' }, /space_key/],
    [{ action: 'update', page_id: '77' }, /requires title or body/],
  ])('refuses %j before anything is sent', async (args, words) => {
    await expect(use(args)).rejects.toMatchObject({ kind: 'invalid_input', message: expect.stringMatching(words) });
    expect(fixture.server.seen).toEqual([]);
  });

  test.each([
    [
      400,
      { errors: [{ status: 400, title: 'A page with this title already exists' }] },
      'invalid_input',
      /already exists/,
    ],
    [401, { message: `Token ${TOKEN} is not valid` }, 'denied', /Token \*\*\* is not valid/],
    [404, { errors: [{ title: 'Not Found', detail: 'No such page' }] }, 'not_found', /No such page/],
    [429, { message: 'Too many requests' }, 'rate_limited', /Too many requests/],
    [200, { title: 'x' }, 'upstream', /not that of the service's API/],
  ])('tells the status %i in the words of Confluence', async (status, body, kind, words) => {
    fixture.server.reply = (response, request) => {
      response.setHeader('retry-after', '60');
      json(body, status)(response, request);
    };
    const failure = use({ action: 'get', page_id: '77' });
    await expect(failure).rejects.toMatchObject({ kind, ...(status === 429 && { waitMs: 61_000 }) });
    await expect(failure).rejects.toThrow(words);
  });
});
