import { beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { insertAgent, insertChat, insertOrg, insertUser } from '../../test/support/rows.ts';
import { serveTestDatabase } from '../../test/support/serve-test-database.ts';
import { afterCommit } from '../core/after-commit.ts';
import { withOrgTransaction, withSystemTransaction } from '../core/transactions.ts';
import { DatabaseBusy } from '../core/unavailable.ts';

const database = serveTestDatabase({ poolSize: 2, onFailure: (error) => failures.push(error) });
let userId: string;
let orgIds: string[];
const failures: unknown[] = [];

beforeAll(async () => {
  orgIds = [await insertOrg(database), await insertOrg(database)];
  userId = await insertUser(database, orgIds);
  for (const orgId of orgIds) await letTurnWait(orgId);
});
beforeEach(async () => {
  failures.length = 0;
  await database.system.query("update turns set next_wake_at = now() + interval '1 hour'");
});

async function letTurnWait(orgId: string): Promise<void> {
  const chatId = await insertChat(database, { orgId, userId, agentId: await insertAgent(database, orgId) });
  await database.system.query(
    `insert into turns (id, org_id, chat_id, user_id, status, started_at, waiting_until)
      values (gen_random_uuid(), $1, $2, $3, 'running', now(), now() + interval '1 hour')`,
    [orgId, chatId, userId],
  );
}

/** Returns the organizations whose waiting turn was woken. */
async function wokenOrgs(): Promise<string[]> {
  const { rows } = await database.system.query<{ orgId: string }>(
    'select org_id as "orgId" from turns where next_wake_at <= now()',
  );
  return rows.map(({ orgId }) => orgId);
}

const nameOf = async (orgId: string | undefined) =>
  (await database.system.query<{ name: string }>('select name from orgs where id = $1', [orgId])).rows[0]?.name;

describe('a stored write', () => {
  test('succeeds when no turn of its organization can be woken, and those of another are woken', async () => {
    const busy = new DatabaseBusy();
    jest.spyOn(database.tenant, 'series').mockRejectedValueOnce(busy);
    await withSystemTransaction(database, async (transaction) => {
      await transaction.query("update orgs set name = 'busy' where id = $1", [orgIds[0]]);
      for (const orgId of orgIds) afterCommit(transaction, { wakesTurnsOf: orgId });
    });
    expect(await nameOf(orgIds[0])).toBe('busy');
    expect([failures, await wokenOrgs()]).toEqual([[busy], [orgIds[1]]]);
  });

  test('succeeds when nobody can be notified, and the turns of its organization are woken', async () => {
    const lost = new Error('Connection terminated');
    jest.spyOn(database.stream, 'query').mockImplementationOnce(() => {
      throw lost;
    });
    const [orgId = ''] = orgIds;
    await withOrgTransaction(database, orgId, async (em) => {
      await em.execute("update orgs set name = 'unheard' where id = ?", [orgId]);
      afterCommit(em, { accessOf: [userId], wakesTurnsOf: orgId });
    });
    expect(await nameOf(orgId)).toBe('unheard');
    expect([failures, await wokenOrgs()]).toEqual([[lost], [orgId]]);
  });
});
