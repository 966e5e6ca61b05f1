import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../db/core/database.ts';
import { connectDatabase } from '../../db/orm/connect.ts';
import type { ApiClient } from '../support/api-client.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../support/factories.ts';
import { inLength } from '../support/in-length.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';

const MEBIBYTE = 1024 ** 2;
/** A page ends with the record that reaches 4 MiB, and the largest record is an answer of 1,000,000 characters. */
const MOST_BYTES = 6 * MEBIBYTE;

let testDatabase: TestDatabase;
let database: Database;
let api: ApiProcess;
let user: TestUser;

/** Asks for a list as often at once as given, and answers the bytes and the records of each answer. */
async function ask(path: string, times = 3) {
  const get = async () => {
    const answer = await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${user.accessToken}` } });
    const text = await answer.text();
    expect([answer.status, answer.headers.get('x-total-count')]).toEqual([200, expect.stringMatching(/^\d+$/)]);
    return { bytes: Buffer.byteLength(text), count: (JSON.parse(text) as unknown[]).length, headers: answer.headers };
  };
  return Promise.all(Array.from({ length: times }, get));
}

/** Follows the pages to the end and answers the ids of all records. */
async function everyId(client: ApiClient, path: string): Promise<string[]> {
  const ids: string[] = [];
  for (let query = ''; ;) {
    const answer = await client.get<{ id: string }[]>(`${path}${query}`);
    ids.push(...answer.json.map(({ id }) => id));
    const next = /^<(?<query>\?[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.groups?.['query'];
    if (next === undefined) return ids;
    query = next;
  }
}

async function query(text: string, values: unknown[]): Promise<void> {
  await database.system.query(text, values);
}

/** Lists of the greatest records, and what holds for them. */
const LISTS: Readonly<Record<string, () => Promise<void>>> = {
  'messages of the greatest size come in pages of a few megabytes, and all of them when they are followed':
    async () => {
      const chatId = await createChat(user.client);
      await query(
        `with turn as (
        insert into turns (id, org_id, chat_id, user_id, status, ended_at)
        select gen_random_uuid(), $1, $2, $3, 'completed', now() from generate_series(1, 50) returning id
      )
      insert into messages (id, org_id, chat_id, turn_id, role, content)
      select gen_random_uuid(), $1, $2, turn.id, role, repeat('x', size)
      from turn, (values ('user', 200000), ('assistant', 1000000)) as kind (role, size)`,
        [user.orgId, chatId, user.id],
      );
      const path = `/api/chats/${chatId}/messages`;
      for (const page of await ask(`${path}?limit=500`, 6)) {
        expect(page.bytes).toBeGreaterThan(MEBIBYTE);
        expect(page.bytes).toBeLessThan(MOST_BYTES);
        expect(page.headers.get('x-total-count')).toBe('100');
      }
      await ask(path);
      expect(new Set(await everyId(user.client, path)).size).toBe(100);
    },

  'memories of the greatest size come in pages of a few megabytes': async () => {
    const agentId = await createAgent(user.client);
    await query(
      `insert into agent_memories (id, org_id, agent_id, content, type, priority)
      select gen_random_uuid(), $1, $2, repeat('x', 10000), 'fact', 3 from generate_series(1, 5000)`,
      [user.orgId, agentId],
    );
    const path = `/api/agents/${agentId}/memories`;
    for (const page of await ask(path)) expect(page.bytes).toBeLessThan(MOST_BYTES);
    expect(new Set(await everyId(user.client, path)).size).toBe(5_000);
  },

  'agents come without their prompts, and in pages of a few megabytes': async () => {
    await query(
      `insert into agents (id, org_id, name, description, agent_type, system_prompt, soul, tools, temperature, max_tokens,
        max_subagents, max_concurrency)
      select gen_random_uuid(), $1, 'Agent', repeat('d', 5000), 'custom', repeat('p', 100000),
        jsonb_build_object('text', repeat('s', 60000)),
        (select jsonb_agg(repeat('t', 100)) from generate_series(1, 200)), 0.3, 1, 1, 1
      from generate_series(1, 1500)`,
      [user.orgId],
    );
    for (const page of await ask('/api/agents?limit=1000', 8)) expect(page.bytes).toBeLessThan(MOST_BYTES);
    const assignable = await user.client.get<{ agents: unknown[] }>('/api/permissions/assignable');
    expect(assignable.json.agents).toHaveLength(1_000);
  },

  'provider accounts, chains and groups come in pages of a few megabytes': async () => {
    await query(
      `insert into provider_accounts (id, org_id, user_id, provider_type, name, auth_type, credentials, base_url,
        cooldown_seconds)
      select gen_random_uuid(), $1, $2, 'openai', repeat('n', 200), 'apikey', decode(repeat('00', 20000), 'hex'),
        repeat('u', 2000), 60 from generate_series(1, 3000)`,
      [user.orgId, user.id],
    );
    await query(
      `insert into provider_chains (id, org_id, name, steps)
      select gen_random_uuid(), $1, 'Chain', (
        select jsonb_agg(jsonb_build_object('provider_type', repeat('p', 100), 'model_name', repeat('m', 200)))
        from generate_series(1, 20)
      ) from generate_series(1, 3000)`,
      [user.orgId],
    );
    await query(
      `insert into permission_groups (id, org_id, name, permissions, limits, allowlists)
      select gen_random_uuid(), $1, 'Group ' || n, '[]',
        '{"tokenBudget":0,"tokenWindowHours":0,"maxConcurrentAgents":0,"maxProviderAccounts":0}',
        jsonb_build_object('agentIds', '[]'::jsonb, 'skillKeys', '[]'::jsonb, 'personaIds', '[]'::jsonb,
          'providerIds', '[]'::jsonb, 'chainIds', '[]'::jsonb,
          'toolKeys', (select jsonb_agg(repeat('k', 100)) from generate_series(1, 1000)))
      from generate_series(1, 500) as n`,
      [user.orgId],
    );
    for (const path of ['/api/providers', '/api/providers/chains', '/api/permissions/groups']) {
      for (const page of await ask(path)) expect(page.bytes).toBeLessThan(MOST_BYTES);
    }
  },
};

const listCount = inLength(1, Infinity);

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ url: testDatabase.url, poolSize: 2 });
  api = await startApiProcess(testDatabase.url, { heapMegabytes: 256 });
  user = await registerUser(api.url);
});
afterAll(async () => {
  await api.kill();
  await database.close();
  await testDatabase.drop();
});

for (const [title, run] of Object.entries(LISTS).slice(0, listCount)) test(title, run);
