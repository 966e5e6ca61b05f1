import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { SecretBox } from '../../db/core/secret-box.ts';
import { sealFileLink } from '../../db/destinations/file-links.ts';
import { BASELINE } from '../../db/migrations/pending-migrations.ts';
import { migrate } from '../../db/orm/migrations.ts';
import { REPORT_FILE_PATH } from '../../domain/destinations.ts';
import { type Postgres, startPostgres } from '../../scripts/stack/postgres/start-postgres.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { freePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { fill } from './path-ids.ts';
import { UNKNOWN_ID } from '../support/unknown-id.ts';
import { failureOf, routesThat } from './route-list.ts';
import { sampleBody } from './sample-body.ts';

let folder: string;
let port: number;
let postgres: Postgres;
// A process of its own: in this one, the test runner's, errors of Node's own modules are no `Error`.
let api: ApiProcess;
let user: TestUser;
/** What a browser that is signed in sends along from a page of this server. */
let browser: Record<string, string>;

const start = async () => startPostgres({ dataDir: join(folder, 'postgres'), port, log: () => undefined });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'everturn-away-'));
  port = await freePort();
  postgres = await start();
  await migrate(postgres.ownerUrl);
  api = await startApiProcess(postgres.url, { logLevel: 'warn' });
  user = await registerUser(api.url);
  await user.client.get('/api/agents');
  const { email, password } = user;
  const ownPage = { 'sec-fetch-site': 'same-origin' };
  const { headers } = await user.client.post('/api/auth/browser-session', { email, password }, ownPage);
  browser = { ...ownPage, cookie: headers.getSetCookie()[0] ?? '' };
});

afterAll(async () => {
  await api.kill();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

// Those that answer from memory, whatever happens to the database.
const answersAlone = (path: string) => path === '/healthz';

// Other tokens are refused without asking the database.
const LINK = sealFileLink(new SecretBox([TEST_SECRET_KEY]), {
  orgId: UNKNOWN_ID,
  deliveryId: UNKNOWN_ID,
  contentId: UNKNOWN_ID,
  entryId: '',
  expiresAt: new Date(Date.now() + 24 * 60 * 60 * 1000),
});

describe('the api while the database is away', () => {
  beforeAll(async () => postgres.stop());
  afterAll(async () => {
    postgres = await start();
  });

  test.each(routesThat(({ path }) => !answersAlone(path)))(
    'answers 503 with Retry-After: $title',
    async ({ route }) => {
      const body = route.body && sampleBody(route.body, { agent_id: UNKNOWN_ID, refresh_token: user.refreshToken });
      const path = fill(route, { repo_type: 'github', ...(route.path === REPORT_FILE_PATH && { token: LINK }) });
      const answer = await user.client.send(route.method.toUpperCase(), path, body, route.ownPagesOnly && browser);
      expect([answer.status, answer.json]).toEqual([503, failureOf(route, expect.stringMatching(/reachable/))]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );

  test('says that the process is alive', async () => {
    expect((await user.client.get('/healthz')).status).toBe(200);
    expect((await user.client.get('/openapi.json')).status).toBe(200);
    expect((await user.client.get('/metrics')).status).toBe(200);
  });

  test('names in /readyz who does not answer', async () => {
    const answer = await user.client.get<{ detail: string }>('/readyz');
    expect(answer.json.detail).toContain('the database');
  });
});

describe('the api on a database that was not migrated', () => {
  const onOwner = async (work: (client: pg.Client) => Promise<unknown>) => {
    const client = new pg.Client(postgres.ownerUrl);
    await client.connect();
    await work(client);
    await client.end();
  };
  const readiness = async () => (await user.client.get<{ detail: string }>('/readyz')).json.detail;

  test('is not ready, and says which command to run', async () => {
    await onOwner(async (client) =>
      client.query("update schema_migrations set name = 'older' where name = $1", [BASELINE]),
    );
    expect(await readiness()).toMatch(/not migrated \(baseline-\w+\).*node db\/orm\/migrate\.ts/);
    await onOwner(async (client) => client.query('alter table schema_migrations rename to hidden'));
    expect(await readiness()).toMatch(/not migrated \(baseline-\w+\)/);
    await onOwner(async (client) => client.query('alter table hidden rename to schema_migrations'));
    await onOwner(async (client) => client.query('update schema_migrations set name = $1', [BASELINE]));
    // Nothing listens where Temporal is to be, which keeps no request from being served.
    expect(await user.client.get('/readyz')).toMatchObject({ status: 200, json: { status: 'ready', engine: 'away' } });
  });

  test('does not start, and says why', async () => {
    const emptyUrl = new URL(postgres.ownerUrl);
    await onOwner(async (client) => client.query('create database fresh'));
    emptyUrl.pathname = '/fresh';
    await expect(startApiProcess(emptyUrl.href)).rejects.toThrow(/node db\/orm\/migrate\.ts/);
  });
});

describe('the api after the database has come back', () => {
  test('resumes by itself, with the same sessions', async () => {
    const status = async () => ((await user.client.get('/api/users/me')).status === 200 ? true : undefined);
    expect(await waitUntil('the api to answer again', status)).toBe(true);
    expect((await user.client.get('/api/agents')).status).toBe(200);
  });

  test('has logged that once when it began and once when it ended, whatever could not be served', async () => {
    const logged = () => api.log().match(/"outage":"the database".*"msg":"the database is \w+/g) ?? [];
    await waitUntil('the end in the log', () => logged().some((line) => line.endsWith('is back')) || undefined);
    expect(logged().map((line) => line.slice(line.lastIndexOf(' ') + 1))).toEqual(['away', 'back']);
    expect(api.log()).not.toContain('a request could not be served');
  });
});
