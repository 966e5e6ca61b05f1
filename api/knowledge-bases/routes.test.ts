import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import pino from 'pino';
import { registerUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import type { ApiContext } from '../context/api-context.ts';
import { findVectorsOf } from './routes.ts';

const served = serveTestApi();

test('an organization has four queries turned into vectors at once; further searches are by words, and say so', async () => {
  const { orgId } = await registerUser(served.url);
  const answered = Promise.withResolvers<undefined>();
  let asked = 0;
  // An engine whose workflows end when the test says so.
  const temporal = {
    withDeadline: async (_deadline: number, work: () => Promise<unknown>) => work(),
    workflow: {
      execute: async () => {
        asked += 1;
        await answered.promise;
      },
    },
  } as unknown as Client;
  const context = { database: served.api.database, temporal, log: pino({ level: 'silent' }) } as unknown as ApiContext;
  const find = findVectorsOf(context, orgId);
  const searches = Array.from({ length: 6 }, async () => find('a query', []));
  const targets = [{ model: 'openai/any', knowledgeBaseId: '019aa4c7-5d10-7cf3-9a5e-3f1f6c0b8d21' }];
  const [refused] = await find('one more', targets);
  expect(refused).toEqual({ model: 'openai/any', reason: expect.stringContaining('Too many searches by meaning') });
  answered.resolve(undefined);
  await Promise.all(searches);
  expect(asked).toBe(4);
});
