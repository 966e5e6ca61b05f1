import { randomUUID } from 'node:crypto';
import { beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { sharedPostgres, withDatabase } from '../../test/support/shared-services.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { ChatFixture } from '../../test/support/chat-fixture.ts';
import { announceReady } from './ready-turn.ts';
import { claimStatements, claimTurn } from './claim/claim-turn.ts';

const database = serveTestDatabase();

beforeAll(async () => {
  await database.system.query(ENDED_TURNS);
  const ownerUrl = withDatabase((await sharedPostgres()).ownerUrl, new URL(database.url).pathname.slice(1));
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query('analyze turns');
  await owner.end();
});

const ENDED_TURNS = `with org as (insert into orgs (id, name) values (gen_random_uuid(), 'o') returning id),
  account as (insert into users (id, email) values (gen_random_uuid(), 'ada@example.com') returning id),
  agent as (
    insert into agents (id, org_id, name, agent_type, temperature, max_tokens, max_subagents, max_concurrency)
    select gen_random_uuid(), id, 'Ada', 'custom', 0, 1, 9, 9 from org returning id, org_id
  ),
  made as (
    insert into chats (id, org_id, user_id, agent_id, title)
    select gen_random_uuid(), agent.org_id, account.id, agent.id, '' from agent, account, generate_series(1, 50) returning *
  )
  insert into turns (id, org_id, chat_id, user_id, status, ended_at)
  select gen_random_uuid(), org_id, id, user_id, 'completed', now() from made, generate_series(1, 40)`;

async function planOf(query: string): Promise<string> {
  const rows = await database.tenant.query<{ 'QUERY PLAN': string }>(randomUUID(), {
    text: `explain (generic_plan) ${query}`,
    values: [],
  });
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

// Plans are cached. With another index on the same turns, a plan made while none is open could scan every open turn.
test.each(["status in ('queued', 'running')", "status = 'running'"])(
  'while no turn is open, those of a chat with %s are found by the chat',
  async (condition) => {
    const plan = await planOf(
      `select id from turns where chat_id = '${randomUUID()}' and ${condition} order by seq limit 1`,
    );
    expect(plan).toMatch(/Index Cond: \(chat_id = /);
    expect(plan).toMatch(/using turns_(open|chat) on turns/);
  },
);

const chat = { orgId: randomUUID(), chatId: randomUUID() };
const statements = [
  ...claimStatements(chat, {}),
  ...claimStatements(chat, { isHeadStart: true }),
  announceReady(chat.chatId),
].map(({ name, text }) => [name, text] as const);

test.each(statements)('what a claim sends as %s reads no table whole', async (_name, text) => {
  expect(await planOf(text)).not.toContain('Seq Scan');
});

test('a claim is one round trip, also for a user who may use no account', async () => {
  const played = await ChatFixture.create(database);
  await played.accept();
  const sent = jest.spyOn(database.tenant, 'series');
  const turn = await claimTurn(database, played.ref);
  expect(turn?.accounts).toEqual({ usable: [], hasOthersOnly: false });
  expect(sent).toHaveBeenCalledTimes(1);
  sent.mockRestore();
});

test.each(['tenant', 'system', 'stream'] as const)(
  'statements of the %s connections are planned once',
  async (pool) => {
    const statement = { text: 'show plan_cache_mode', values: [] };
    const rows =
      pool === 'tenant'
        ? await database.tenant.query(randomUUID(), statement)
        : (await database[pool].query(statement)).rows;
    expect(rows).toEqual([{ plan_cache_mode: 'force_generic_plan' }]);
  },
);
