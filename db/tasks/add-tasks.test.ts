import { expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { policyOf } from '../../domain/permissions/policy.ts';
import { createAgent, createChat, registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import type { Database } from '../core/database.ts';
import { createTask } from './add-tasks.ts';

const served = serveTestApi();

/** Loses the first of the statements that are sent together as often as is said, as if something had refused it. */
function losing(database: Database, times: number): Database {
  let left = times;
  const { tenant } = database;
  const series = async (orgId: string, statements: Parameters<typeof tenant.series>[1]) =>
    tenant.series(orgId, left-- > 0 ? statements.slice(1) : statements);
  return Object.assign(Object.create(database) as Database, {
    tenant: Object.assign(Object.create(tenant) as object, { series, query: tenant.query.bind(tenant) }),
  });
}

test('a task is added once more when nothing speaks against it any more, and refused as a conflict after that', async () => {
  const { client, id: userId, orgId } = await registerUser(served.url);
  const chatId = await createChat(client, await createAgent(client));
  const actor = { orgId, userId, policy: policyOf('owner', []) };
  const fields = { title: 'Paint', description: '', assignedAgentId: null, priority: 'low', dependsOn: [] } as const;
  const add = async (database: Database) =>
    createTask(database, actor, { ...fields, chatId, limits: parseOrgLimits('') }, uuidv7());
  expect(await add(losing(served.api.database, 1))).toMatchObject({ title: 'Paint' });
  await expect(add(losing(served.api.database, 2))).rejects.toMatchObject({ code: 'conflict' });
});
