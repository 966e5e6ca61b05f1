import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../../../db/core/index.ts';
import { connectDatabase } from '../../../../db/orm/index.ts';
import { insertAgent, insertOrg } from '../../../../test/support/rows.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import type { McpClient } from '../../../mcp-servers/index.ts';
import { mcpTools } from './mcp-tools.ts';

let place: TestDatabase;
let database: Database;
beforeAll(async () => {
  place = await createTestDatabase();
  database = await connectDatabase({ url: place.url, poolSize: 2 });
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

/** Stores a server that lists tools of 30,000 characters each. */
async function insertServer(orgId: string, name: string, tools: number): Promise<string> {
  const id = randomUUID();
  const inputSchema = { type: 'object', description: 'd'.repeat(30_000) };
  const listed = Array.from({ length: tools }, (_, index) => ({
    name: `t${index}`,
    description: 'Does.',
    inputSchema,
    annotations: {},
  }));
  await database.system.query(
    `insert into mcp_servers (id, org_id, name, url, auth_type, connection, tools)
      values ($1, $2, $3, 'http://127.0.0.1/mcp', 'none', gen_random_uuid(), $4)`,
    [id, orgId, name, JSON.stringify(listed)],
  );
  return id;
}

/** Returns the source of tools, and the servers whose lists it has read, in order. */
function observed() {
  const read: unknown[] = [];
  const query: Database['tenant']['query'] = async (organization, statement) => {
    if (statement.name === 'find-mcp-tool-list') read.push(statement.values?.[1]);
    return database.tenant.query(organization, statement);
  };
  const source = mcpTools({ database: { tenant: { query } } as unknown as Database, mcp: {} as McpClient });
  return { read, source };
}

test('lists are read in the order of the servers, once, and none after those that fill what is offered', async () => {
  const orgId = await insertOrg(database);
  const agentId = await insertAgent(database, orgId);
  const ids = [
    await insertServer(orgId, 'a', 6),
    await insertServer(orgId, 'b', 20),
    await insertServer(orgId, 'c', 1),
  ];
  await database.system.query('update agents set mcps = $2 where id = $1', [
    agentId,
    JSON.stringify(ids.map((id) => ({ id }))),
  ]);
  const { read, source } = observed();
  const user = { orgId, policy: null, agent: { id: agentId, tools: ['mcp'], skills: [] } };
  const keys = (await source(user)).map(({ key }) => key);
  expect(keys).toHaveLength(13);
  expect([keys[0], keys.at(-1)]).toEqual(['mcp__a__t0', 'mcp__b__t6']);
  expect(read).toEqual(ids.slice(0, 2));
  await source(user);
  expect(read).toHaveLength(2);
});
