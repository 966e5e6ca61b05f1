import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { runShort } from './client.ts';

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  jest.useRealTimers();
});

test('the test of an account gives up an engine that hangs after 45 seconds', async () => {
  const deadlines: number[] = [];
  const withDeadline = async (deadline: number, work: () => Promise<unknown>) => {
    deadlines.push(deadline - Date.now());
    return work();
  };
  const execute = async () => ({ ok: true });
  const client = { withDeadline, workflow: { execute } } as unknown as Client;
  await runShort(client, 'probeProvider', { orgId: 'o', accountId: 'a', userId: 'u' });
  expect(deadlines).toEqual([45_000]);
});
