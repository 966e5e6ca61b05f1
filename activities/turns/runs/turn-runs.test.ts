import { expect, test } from '@jest/globals';
import type { Database } from '../../../db/core/database.ts';
import { TurnRuns } from './turn-runs.ts';

test('a turn that has ended here, and those before it in its chat, need no read', async () => {
  const runs = new TurnRuns({ database: {} as Database, runner: 'this', onFailure: () => undefined });
  const chat = { orgId: 'o', chatId: 'c' };
  const result = { hasMore: false };
  const run = runs.begin(chat, async (self) => {
    self.claim({ turnId: 't', seq: 2 });
    self.end();
    return result;
  });
  await run.result;
  expect([1, 2, 3].map((seq) => runs.ended(chat, seq))).toEqual([result, result, undefined]);
  await runs.stop();
});
