import { expect, test } from '@jest/globals';
import type { Context } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import { pino } from 'pino';
import { failureInterceptor, HandOver, NotedFault, NoFreeSlot } from './failure-interceptor.ts';

const OUTAGE = Object.assign(new Error('sk-secret'), { code: 'ECONNREFUSED' });
const FAULT = new TypeError('sk-secret');

/** Returns what the history of a workflow gets of an attempt at an activity that fails. */
async function failureOf(error: Error, { attempt = 1, activityType = 'readDocument' } = {}) {
  const { inbound } = failureInterceptor(pino({ level: 'silent' }))({
    info: { activityType, attempt },
  } as unknown as Context);
  const fail = async () => {
    throw error;
  };
  try {
    await inbound?.execute?.({ args: [], headers: {} }, fail);
    return undefined;
  } catch (failure) {
    return failure as ApplicationFailure;
  }
}

test('an outage is attempted again however often it was', async () => {
  for (const attempt of [1, 10, 1_000])
    expect(await failureOf(OUTAGE, { attempt })).toMatchObject({ nonRetryable: false });
});

test('an error that does not pass is attempted ten times', async () => {
  expect(await failureOf(FAULT, { attempt: 9 })).toMatchObject({ nonRetryable: false });
  expect(await failureOf(FAULT, { attempt: 10 })).toMatchObject({ nonRetryable: true, type: 'TypeError' });
});

test.each(['runNextTurn', 'runTool'])('%s is left to the rows of the turn, which count', async (activityType) => {
  expect(await failureOf(FAULT, { attempt: 1_000, activityType })).toMatchObject({ nonRetryable: false });
});

test('a fault that the rows record is not attempted again', async () => {
  expect(await failureOf(new NotedFault(FAULT))).toMatchObject({ nonRetryable: true });
});

test('what hands over or waits for a slot is attempted again soon, however often it was', async () => {
  for (const error of [new HandOver(), new NoFreeSlot()]) {
    const failure = await failureOf(error, { attempt: 1_000 });
    expect(failure?.nonRetryable ?? false).toBe(false);
    expect(failure?.nextRetryDelay).toBeDefined();
  }
});

test('the history learns the kind of an error only', async () => {
  for (const error of [OUTAGE, FAULT, new NotedFault(FAULT)])
    expect(JSON.stringify(await failureOf(error))).not.toContain('sk-secret');
});
