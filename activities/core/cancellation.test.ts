import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Context } from '@temporalio/activity';
import { heartbeatInterceptor } from './cancellation.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Begins an attempt with the heartbeat timeout of its workflow; Temporal reports 0 for none. */
function beginAttempt(heartbeatTimeoutMs: number | undefined) {
  let heartbeats = 0;
  const work = Promise.withResolvers<string>();
  const context = { info: { heartbeatTimeoutMs }, heartbeat: () => (heartbeats += 1) } as unknown as Context;
  const { inbound } = heartbeatInterceptor(context);
  const result = inbound?.execute?.({ args: [], headers: {} }, async () => work.promise);
  return { result, end: work, heartbeats: () => heartbeats };
}

test('an attempt reports that it is alive, several times within its heartbeat timeout, until it has ended', async () => {
  const { result, end, heartbeats } = beginAttempt(8_000);
  jest.advanceTimersByTime(8_000);
  expect(heartbeats()).toBeGreaterThanOrEqual(3);
  end.resolve('done');
  expect(await result).toBe('done');
  const before = heartbeats();
  jest.advanceTimersByTime(60_000);
  expect(heartbeats()).toBe(before);
});

test('one that has failed reports nothing any more', async () => {
  const { result, end, heartbeats } = beginAttempt(8_000);
  end.reject(new Error('away'));
  await expect(result).rejects.toThrow('away');
  jest.advanceTimersByTime(60_000);
  expect(heartbeats()).toBe(0);
});

test.each([undefined, 0])('one without a heartbeat timeout (%p) reports nothing', async (timeoutMs) => {
  const { result, end, heartbeats } = beginAttempt(timeoutMs);
  jest.advanceTimersByTime(60_000);
  end.resolve('done');
  expect([await result, heartbeats()]).toEqual(['done', 0]);
});
