import { expect, test } from '@jest/globals';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { Database } from '../../db/core/database.ts';
import { createReceiveMessages } from '../channels/receive-messages.ts';
import { createRevokeGrant } from '../integrations/finish-sign-in.ts';
import { createTellHost } from '../issue-pushes.ts';
import { createReadFromHost } from '../issue-sync/read-from-host.ts';
import { createFetchRepoTree } from '../repo-trees/read-repository.ts';

/** A database that never answers, with organizations that are called by their owner. */
function silentDatabase() {
  let asked = 0;
  const database = {
    payers: { of: async (orgId: string) => ({ orgId, ownerId: orgId.split(' ')[0] }) },
    tenant: { query: async () => new Promise(() => (asked += 1)) },
  };
  return { database: database as unknown as Database, asked: () => asked };
}

type Activity = (input: never) => Promise<unknown>;

test.each<[string, (deps: never) => Activity]>([
  ['messages', createReceiveMessages],
  ['issues', createReadFromHost],
  ['changes', createTellHost],
  ['files', createFetchRepoTree],
  ['grants', createRevokeGrant],
])('%s of slow servers take ten slots of a worker for all organizations of an owner', async (what, create) => {
  const { database, asked } = silentDatabase();
  const activity = create({ database } as never);
  const context = { cancellationSignal: new AbortController().signal } as unknown as Context;
  const begin = async (orgId: string) => asyncLocalStorage.run(context, async () => activity({ orgId } as never));
  for (let count = 0; count < 5; count += 1) for (const orgId of [`${what} 1`, `${what} 2`]) void begin(orgId);
  await expect(begin(`${what} 3`)).rejects.toMatchObject({ name: 'NoFreeSlot' });
  void begin(`other-${what} 1`);
  await new Promise(setImmediate);
  expect(asked()).toBe(11);
});
