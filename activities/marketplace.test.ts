import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { addIndexes, askForIndexes, purgeIndexes } from '../db/marketplace/marketplace-indexes.ts';
import { parseMarketplaceIndexes } from '../domain/marketplace.ts';
import { parsePrivateHosts } from '../domain/network/addresses.ts';
import { registerUser, type TestUser } from '../test/support/factories.ts';
import { IndexServer, sampleItem, sha256Of } from '../test/support/index-server.ts';
import { registerColleague } from '../test/support/people.ts';
import { startTestApi, type TestApi } from '../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../test/support/test-database.ts';
import { createGuardedFetch } from './core/network/guarded-fetch.ts';
import { refreshIndex } from './marketplace.ts';

type Fields = Record<string, unknown>;

interface IndexFields extends Fields {
  readonly refused: readonly { readonly item: string; readonly reason: string }[];
}

const TIMES = { indexMs: 60_000, itemMs: 60_000, allMs: 100_000 };
const HIDDEN_PORT = 9;

let testDatabase: TestDatabase;
let api: TestApi;
let server: IndexServer;
let other: IndexServer;
let user: TestUser;
let guarded: ReturnType<typeof createGuardedFetch>;

beforeAll(async () => {
  [server, other] = await Promise.all([IndexServer.start(), IndexServer.start()]);
  testDatabase = await createTestDatabase();
  api = await startTestApi({
    databaseUrl: testDatabase.url,
    temporalAddress: '127.0.0.1:1',
    marketplaceIndexes: settings(),
  });
  guarded = createGuardedFetch(privateHosts());
});

afterAll(async () => {
  server.close();
  other.close();
  await guarded.close();
  await api.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  for (const each of [server, other]) {
    each.answers.clear();
    each.seen.length = 0;
  }
  await api.database.system.query('delete from marketplace_indexes');
  user = await registerUser(api.url);
});

// The other index comes second.
const settings = () => `http://reader:secret@127.0.0.1:${server.port}/index.json?key=hidden,${other.url}/index.json`;
const privateHosts = () => parsePrivateHosts(`127.0.0.1:${server.port},127.0.0.1:${other.port}`);

/** Fetches what is due, as workers do. */
async function refresh(times = TIMES): Promise<void> {
  const indexes = parseMarketplaceIndexes(settings());
  const deps = {
    database: api.database,
    fetch: guarded.fetch,
    privateHosts: privateHosts(),
    indexes,
    log: pino({ level: 'silent' }),
  };
  const sources = indexes.map(({ source }) => source);
  await addIndexes(api.database, sources);
  const { rows } = await api.database.system.query<{ id: string }>(
    'update marketplace_indexes set due_at = now() where source = any($1) returning id',
    [sources],
  );
  const due = rows.map(({ id }) => id);
  const { signal } = new AbortController();
  await Promise.all(due.map(async (indexId) => refreshIndex(deps, { indexId, signal }, times)));
}

/** Returns whether the index at an address is to be fetched now. */
async function isDue(source: string): Promise<boolean> {
  const due = 'select from marketplace_indexes where source = $1 and due_at <= now()';
  return (await api.database.system.query(due, [source])).rowCount === 1;
}

/** Returns how long after its last try an index is tried again, in milliseconds. */
const pauseOf = (index: IndexFields | undefined) =>
  Date.parse(String(index?.['next_check_at'])) - Date.parse(String(index?.['checked_at']));
const indexes = async () => (await user.client.get<IndexFields[]>('/api/marketplace-indexes')).json;
const first = async () => (await indexes())[0];
const offered = async (query = '?tag=sample') =>
  (await user.client.get<Fields[]>(`/api/marketplace${query}`)).json.map(({ slug, version, source }) =>
    [slug, version, source === `${server.url}/index.json` ? 'first' : source].join(' '),
  );
const serveIndex = (answer: Parameters<IndexServer['answers']['set']>[1]) =>
  server.answers.set('/index.json?key=hidden', answer);
const offer = (...items: Parameters<typeof server.offer>) => {
  server.offer(...items);
  serveIndex(server.answers.get('/index.json') ?? '');
};

describe('an index of the marketplace', () => {
  test('has its items listed, found, shown and installed like those that ship with the service', async () => {
    offer(await sampleItem({ slug: 'log-reader' }), await sampleItem({ slug: 'bell-ringer' }));
    expect(await first()).toMatchObject({ item_count: 0, fetched_at: null, checked_at: null, next_check_at: null });
    await refresh();
    expect(await first()).toEqual({
      source: `${server.url}/index.json`,
      item_count: 2,
      fetched_at: expect.any(String),
      checked_at: expect.any(String),
      next_check_at: expect.any(String),
      error: null,
      refused: [],
      hidden: [],
    });
    expect(await offered()).toEqual(['bell-ringer 1.0.0 first', 'log-reader 1.0.0 first']);
    expect(await offered('?q=LOG%20reader&kind=skill')).toEqual(['log-reader 1.0.0 first']);
    expect(await offered('?q=log-reader&kind=agent')).toEqual([]);
    expect((await user.client.get<Fields>('/api/marketplace/log-reader')).json).toMatchObject({
      readme: '# log-reader',
      contains: [{ kind: 'skill', key: 'log_reader' }],
      source: `${server.url}/index.json`,
    });
    const installed = await user.client.post<{ records: Fields[] }>('/api/marketplace/log-reader/install');
    expect([installed.status, installed.json.records]).toEqual([
      200,
      [expect.objectContaining({ kind: 'skill', outcome: 'created' })],
    ]);
    const all = await user.client.get<Fields[]>('/api/marketplace');
    expect(all.json.map(({ slug }) => slug)).toEqual(
      all.json.map(({ slug }) => String(slug)).toSorted((a, b) => (a < b ? -1 : 1)),
    );
    expect(all.json.find(({ slug }) => slug === 'log-reader')).toMatchObject({
      installed: { version: '1.0.0', source: `${server.url}/index.json`, can_upgrade: false },
    });
    const page = await user.client.get<Fields[]>('/api/marketplace?limit=2&offset=1');
    expect(page.json.map(({ slug }) => slug)).toEqual(all.json.slice(1, 3).map(({ slug }) => slug));
    expect(page.headers.get('x-total-count')).toBe(String(all.json.length));
  });

  test('is sent its credentials, and no other server is', async () => {
    const item = await sampleItem({ slug: 'elsewhere' });
    other.answers.set(`/${item.entry.url}`, item.archive);
    const own = await sampleItem({ slug: 'at-home' });
    server.answers.set(`/${own.entry.url}`, own.archive);
    offer(own.entry, { ...item.entry, url: `${other.url}/${item.entry.url}` });
    await refresh();
    expect(await offered()).toHaveLength(2);
    const basic = `Basic ${Buffer.from('reader:secret').toString('base64')}`;
    expect(server.seen.map(({ authorization }) => authorization)).toEqual([basic, basic]);
    expect(other.seen.filter(({ path }) => path.endsWith('.zip'))).toEqual([
      { path: `/${item.entry.url}`, authorization: undefined },
    ]);
    expect(JSON.stringify(await indexes())).not.toMatch(/secret|hidden=|key=/);
  });

  test('is fetched again only when it is due, and its items only when they have changed', async () => {
    offer(await sampleItem({ slug: 'log-reader' }), await sampleItem({ slug: 'bell-ringer' }));
    await refresh();
    const source = `${server.url}/index.json`;
    expect(await isDue(source)).toBe(false);
    // Just tried: nobody can have a server asked again and again, and nobody is left without an answer.
    const { json } = await user.client.post<IndexFields[]>('/api/marketplace-indexes/refresh');
    expect(await isDue(source)).toBe(false);
    expect(pauseOf(json[0])).toBe(60_000);
    await api.database.system.query(
      "update marketplace_indexes set checked_at = checked_at - interval '1 minute', due_at = due_at - interval '1 minute'",
    );
    expect(await isDue(source)).toBe(true);
    server.seen.length = 0;
    offer(await sampleItem({ slug: 'log-reader', version: '1.1.0' }), await sampleItem({ slug: 'bell-ringer' }));
    await refresh();
    expect(server.seen.map(({ path }) => path)).toEqual(['/index.json?key=hidden', '/log-reader-1.1.0.zip']);
    expect(await offered()).toEqual(['bell-ringer 1.0.0 first', 'log-reader 1.1.0 first']);
  });

  test('is fetched once more when somebody has asked while it was fetched', async () => {
    serveIndex((response) => {
      void askForIndexes(api.database, [`${server.url}/index.json`]).then(() =>
        response.end('{"version":1,"items":[]}'),
      );
    });
    await refresh();
    expect(pauseOf(await first())).toBe(60_000);
    offer(await sampleItem({ slug: 'log-reader' }));
    await refresh();
    expect(pauseOf(await first())).toBe(3_600_000);
  });

  test('offers upgrades, and keeps what was installed of items that it lists no more', async () => {
    offer(await sampleItem({ slug: 'log-reader' }));
    await refresh();
    const { json } = await user.client.post<{ records: { id: string }[] }>('/api/marketplace/log-reader/install');
    offer(await sampleItem({ slug: 'log-reader', version: '1.1.0' }));
    await refresh();
    const item = await user.client.get<Fields>('/api/marketplace/log-reader');
    expect(item.json['installed']).toMatchObject({ version: '1.0.0', can_upgrade: true });
    const upgrade = await user.client.post<{ records: Fields[] }>('/api/marketplace/log-reader/install');
    expect(upgrade.json.records).toMatchObject([{ outcome: 'updated' }]);
    offer();
    await refresh();
    expect(await offered()).toEqual([]);
    expect((await user.client.get('/api/marketplace/log-reader')).status).toBe(404);
    expect((await user.client.post('/api/marketplace/log-reader/install')).status).toBe(404);
    const skill = await user.client.get<Fields>(`/api/skills/${json.records[0]?.id}`);
    expect(skill.json).toMatchObject({ key: 'log_reader', slug: 'log-reader' });
  });

  test('that cannot be fetched any more keeps its items, and says since when', async () => {
    offer(await sampleItem({ slug: 'log-reader' }));
    await refresh();
    const before = await first();
    serveIndex((response) => void response.writeHead(503).end());
    await refresh();
    expect(await first()).toMatchObject({
      item_count: 1,
      fetched_at: before?.['fetched_at'],
      error: 'The server answered with the status 503',
    });
    expect(await offered()).toEqual(['log-reader 1.0.0 first']);
    offer(await sampleItem({ slug: 'log-reader' }));
    await refresh();
    expect(await first()).toMatchObject({ error: null });
  });
});

test('an item that brings a builtin skill is installed by administrators only', async () => {
  const skill = '---\nname: git\ndescription: Ours.\n---\n\nOurs.\n';
  offer(await sampleItem({ slug: 'own-git', files: { 'skills/git/SKILL.md': skill } }));
  await refresh();
  const member = await registerColleague(api, user, 'member');
  const refused = await member.client.post<Fields>('/api/marketplace/own-git/install');
  expect([refused.status, refused.json['detail']]).toEqual([
    403,
    'Only administrators may replace the builtin skill "git" for the organization',
  ]);
  expect((await user.client.post('/api/marketplace/own-git/install')).status).toBe(200);
});

test('an item says which destinations its reports need, and whether the organization has one', async () => {
  const head = { name: 'Reporter', kind: 'skill', version: '1.0.0', summary: 'Reports.', tags: [] };
  const files = {
    'item.json': JSON.stringify({ ...head, destinations: ['webhook', 'slack'] }),
    'skills/report/SKILL.md': '---\nname: report\ndescription: Reports.\n---\n\nReport.\n',
  };
  offer(await sampleItem({ slug: 'reporter', files }));
  await refresh();
  const destination = { name: 'Hook', kind: 'webhook', config: { url: 'https://hooks.example.com/reports' } };
  expect((await user.client.post('/api/destinations', destination)).status).toBe(201);
  const { json } = await user.client.get<Fields>('/api/marketplace/reporter');
  const destinations = [
    { kind: 'webhook', is_available: true },
    { kind: 'slack', is_available: false },
  ];
  expect(json).toMatchObject({ needs: { destinations } });
});

test('an index that is named no longer is removed with its items after a week', async () => {
  offer(await sampleItem({ slug: 'log-reader' }));
  await refresh();
  const { system } = api.database;
  const rowsOf = async () => (await system.query('select from marketplace_items')).rowCount;
  const sources = parseMarketplaceIndexes(settings()).map(({ source }) => source);
  await purgeIndexes(api.database, []);
  expect(await rowsOf()).toBe(1);
  await system.query("update marketplace_indexes set due_at = now() - interval '8 days'");
  await purgeIndexes(api.database, sources);
  expect(await rowsOf()).toBe(1);
  await purgeIndexes(api.database, []);
  expect(await rowsOf()).toBe(0);
});

describe('the slug of an item', () => {
  test('is that of one that ships with the service, then of the first index, which is said', async () => {
    offer(await sampleItem({ slug: 'code-reviewer' }), await sampleItem({ slug: 'shared', version: '1.0.0' }));
    other.offer(await sampleItem({ slug: 'shared', version: '9.0.0' }), await sampleItem({ slug: 'own' }));
    await refresh();
    expect(await offered()).toEqual([`own 1.0.0 ${other.url}/index.json`, 'shared 1.0.0 first']);
    expect((await user.client.get<Fields>('/api/marketplace/code-reviewer')).json).toMatchObject({ source: 'builtin' });
    expect(await indexes()).toMatchObject([
      { item_count: 1, hidden: [{ slug: 'code-reviewer', by: 'builtin' }] },
      { item_count: 1, hidden: [{ slug: 'shared', by: `${server.url}/index.json` }] },
    ]);
  });

  test('taken over by another source is no upgrade of what was installed, unless that is wanted', async () => {
    other.offer(await sampleItem({ slug: 'shared' }));
    await refresh();
    expect((await user.client.post('/api/marketplace/shared/install')).status).toBe(200);
    offer(await sampleItem({ slug: 'shared', version: '9.0.0' }));
    await refresh();
    const item = await user.client.get<Fields>('/api/marketplace/shared');
    expect(item.json['installed']).toMatchObject({ source: `${other.url}/index.json`, can_upgrade: false });
    const refused = await user.client.post<Fields>('/api/marketplace/shared/install');
    expect([refused.status, refused.json['detail']]).toEqual([
      409,
      expect.stringMatching(/was installed from .*, and this one is from .*change_source=true/),
    ]);
    const changed = await user.client.post<Fields>('/api/marketplace/shared/install?change_source=true');
    expect(changed.json).toMatchObject({ version: '9.0.0', records: [{ outcome: 'updated' }] });
  });
});

describe('an item that cannot be taken', () => {
  test('is named with the reason, and the others are taken', async () => {
    const good = await sampleItem({ slug: 'good' });
    const make = async (slug: string, files?: Record<string, string>) => sampleItem({ slug, ...(files && { files }) });
    const [hash, size, cutOff, gone] = await Promise.all(
      ['hash', 'size', 'cut-off', 'gone'].map(async (slug) => make(slug)),
    );
    if (!hash || !size || !cutOff || !gone) throw new Error('each is made');
    const noZip = { archive: Buffer.from('<html>'), entry: { ...good.entry, slug: 'no-zip', url: 'no-zip.zip' } };
    const half = good.archive.subarray(0, good.archive.length - 30);
    offer(
      { ...hash, entry: { ...hash.entry, sha256: 'a'.repeat(64) } },
      { ...size, entry: { ...size.entry, size: 5 } },
      { ...noZip, entry: { ...noZip.entry, sha256: sha256Of(noZip.archive) } },
      { archive: half, entry: { ...cutOff.entry, sha256: sha256Of(half) } },
      gone.entry,
      await make('broken', { 'skills/broken/SKILL.md': 'no front matter' }),
      await make('other-files', { 'bin/run.sh': 'rm -rf /' }),
      {
        ...(await make('version')),
        entry: { ...(await make('version')).entry, version: '2.0.0', url: 'version-1.0.0.zip' },
      },
      { ...gone.entry, slug: 'address', url: 'http://[' },
      { ...gone.entry, slug: 'scheme', url: 'file:///etc/passwd' },
      { ...gone.entry, slug: 'private', url: `http://127.0.0.1:${HIDDEN_PORT}/x.zip` },
      { ...gone.entry, slug: 'metadata', url: 'http://169.254.169.254/x.zip' },
      { slug: 'no-hash', version: '1.0.0', url: 'x.zip' },
      good,
    );
    await refresh();
    expect(await offered()).toEqual(['good 1.0.0 first']);
    const reasons = new Map((await first())?.refused.map(({ item, reason }) => [item, reason]));
    expect(Object.fromEntries(reasons)).toEqual({
      hash: expect.stringContaining('another SHA-256 than the index says'),
      size: expect.stringMatching(/has \d+ bytes, and 5 in the index/),
      'no-zip': expect.stringContaining('is not a usable ZIP archive'),
      'cut-off': expect.stringContaining('is not a usable ZIP archive'),
      gone: 'The server answered with the status 404',
      broken: expect.stringContaining('skills/broken/SKILL.md'),
      'other-files': expect.stringContaining('bin/run.sh is none of an item'),
      version: 'Its item.json says version 1.0.0, and the index 2.0.0',
      address: 'Its url is not a valid URL',
      scheme: expect.stringContaining('must begin with https://'),
      private: expect.stringContaining(`can allow http:// to 127.0.0.1:${HIDDEN_PORT}`),
      metadata: expect.stringContaining('can allow http:// to 169.254.169.254:80'),
      'no-hash': expect.stringContaining('sha256'),
    });
  });

  test('leaves the version of it that was taken before', async () => {
    offer(await sampleItem({ slug: 'log-reader' }));
    await refresh();
    const next = await sampleItem({ slug: 'log-reader', version: '1.1.0' });
    offer({ ...next, entry: { ...next.entry, sha256: 'b'.repeat(64) } });
    await refresh();
    expect(await offered()).toEqual(['log-reader 1.0.0 first']);
    expect((await first())?.refused).toMatchObject([{ item: 'log-reader' }]);
  });

  test('has a new version and the hash of the old one: the old one stays, and it is said', async () => {
    const item = await sampleItem({ slug: 'log-reader' });
    offer(item);
    await refresh();
    offer({ ...item, entry: { ...item.entry, version: '1.1.0' } });
    await refresh();
    expect(await offered()).toEqual(['log-reader 1.0.0 first']);
    expect((await first())?.refused).toEqual([
      {
        item: 'log-reader',
        reason: 'The index says version 1.1.0, and the SHA-256 of the archive of version 1.0.0',
      },
    ]);
    offer(item);
    await refresh();
    expect((await first())?.refused).toEqual([]);
  });

  test('drips slowly, is too large or never ends: it is skipped, and the others are fetched', async () => {
    const [slow, large, good] = await Promise.all(['slow', 'large', 'good'].map(async (slug) => sampleItem({ slug })));
    if (!slow || !large || !good) throw new Error('each is made');
    offer(slow.entry, large.entry, good);
    server.answers.set(`/${slow.entry.url}`, (response) => {
      const timer = setInterval(() => response.write('x'), 50);
      response.once('close', () => clearInterval(timer));
    });
    server.answers.set(`/${large.entry.url}`, gzipped(Buffer.alloc(50 * 1024 ** 2)));
    await refresh({ ...TIMES, itemMs: 6_000 });
    expect(await offered()).toEqual(['good 1.0.0 first']);
    expect((await first())?.refused.toSorted((a, b) => (a.item < b.item ? -1 : 1))).toEqual([
      { item: 'large', reason: expect.stringContaining('It is larger than') },
      { item: 'slow', reason: 'No complete response came within 6 seconds' },
    ]);
  });

  test('is not begun when the time is up, and fetched the next time', async () => {
    offer(await sampleItem({ slug: 'log-reader' }));
    await refresh({ ...TIMES, allMs: -1 });
    expect(await first()).toMatchObject({ item_count: 0, refused: [{ item: '1 more' }] });
    await refresh();
    expect(await first()).toMatchObject({ item_count: 1, refused: [] });
  });
});

const gzipped = (body: Buffer) => {
  const packed = gzipSync(body);
  return (response: Parameters<Exclude<Parameters<IndexServer['answers']['set']>[1], string | Buffer>>[0]) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
};

const TOO_SLOW = 'No complete response came within 0.5 seconds';

describe('an index that cannot be used', () => {
  test.each<[string, Parameters<IndexServer['answers']['set']>[1], string | RegExp]>([
    ['is a page', '<!doctype html><title>Sign in</title>', /^It is not JSON/],
    ['is cut off', '{"version":1,"items":[{"slug":', /^It is not JSON/],
    ['is another document', '{"openapi":"3.1.0"}', /^It is no index of items: version must be 1/],
    ['is empty', '', /^It is not JSON/],
    ['lists ten thousand items', JSON.stringify({ version: 1, items: manyEntries(10_000) }), /more than 50000 values/],
    ['is packed, and huge', gzipped(Buffer.alloc(64 * 1024 ** 2, ' ')), 'It is larger than 4194304 bytes'],
    [
      'leads to a private address',
      (response) => void response.writeHead(302, { location: `http://127.0.0.1:${HIDDEN_PORT}/` }).end(),
      'The address redirects to one that may not be reached from here',
    ],
    [
      'leads to a page that anybody on the way can change',
      (response) => void response.writeHead(302, { location: 'http://items.example.com/index.json' }).end(),
      'The address redirects to one that may not be reached from here',
    ],
    [
      'leads to itself',
      (response) => void response.writeHead(302, { location: '/index.json?key=hidden' }).end(),
      'The address redirects more than 5 times',
    ],
    ['breaks off', (response) => void response.destroy(), /^The request to the server failed/],
    [
      'drips',
      (response) => {
        const timer = setInterval(() => response.write(' '), 50);
        response.once('close', () => clearInterval(timer));
      },
      TOO_SLOW,
    ],
  ])('because it %s is told in words, and does no harm', async (_what, answer, words) => {
    serveIndex(answer);
    await refresh({ ...TIMES, ...(words === TOO_SLOW && { indexMs: 500 }) });
    const state = await first();
    expect(state).toMatchObject({ item_count: 0, fetched_at: null, checked_at: expect.any(String) });
    expect(state?.['error']).toEqual(typeof words === 'string' ? words : expect.stringMatching(words));
    expect(await offered()).toEqual([]);
  });
});

function manyEntries(count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({
    slug: `item-${at}`,
    version: '1.0.0',
    url: `item-${at}.zip`,
    sha256: 'a'.repeat(64),
    size: 100,
    tags: ['a'],
  }));
}
