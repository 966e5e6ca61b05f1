import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { AppError } from '../../domain/core/app-error.ts';
import type { IdentifiedCaller } from './authenticate.ts';
import { type FoundCaller, KnownCallers } from './known-callers.ts';

let callers: KnownCallers;
beforeEach(() => {
  jest.useFakeTimers();
  // A time of 0 means none to the cache.
  jest.advanceTimersByTime(1);
  callers = new KnownCallers();
});
afterEach(() => {
  jest.useRealTimers();
});

function callerOf(userId: string, fields: Partial<IdentifiedCaller> = {}): IdentifiedCaller {
  const membership = { orgId: 'lab', role: 'member', policyVersion: '1' } as const;
  return { userId, isManaged: false, sessionId: 's', keyId: undefined, expiresAt: undefined, ...membership, ...fields };
}

/** Makes a look-up that can be counted. */
function lookUpOf(userId: string, fields: Partial<IdentifiedCaller> = {}, validForMs = 86_400_000) {
  return jest.fn(async (): Promise<FoundCaller> => ({ caller: callerOf(userId, fields), validForMs }));
}

/** A look-up that is answered when the test says so. */
function slowLookUp(userId: string) {
  const answer = Promise.withResolvers<FoundCaller>();
  const lookUp = jest.fn(async () => answer.promise);
  return { lookUp, answer: () => answer.resolve({ caller: callerOf(userId), validForMs: 86_400_000 }) };
}

describe('a caller', () => {
  test('is looked up once in three seconds, however often they ask', async () => {
    const lookUp = lookUpOf('ada');
    for (let asked = 0; asked < 30; asked += 1) {
      expect(await callers.find('a', lookUp)).toMatchObject({ userId: 'ada' });
      jest.advanceTimersByTime(100);
    }
    expect(lookUp).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    await callers.find('a', lookUp);
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test('is known no longer than their credential is valid, counted from the start of the look-up', async () => {
    const lookUp = lookUpOf('ada', {}, 500);
    const slow = jest.fn(async () => {
      jest.advanceTimersByTime(200);
      return lookUp();
    });
    await callers.find('a', slow);
    jest.advanceTimersByTime(300);
    await callers.find('a', slow);
    expect(slow).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    await callers.find('a', slow);
    expect(slow).toHaveBeenCalledTimes(2);
  });

  test.each([0, -1, 0.4])('is not remembered when their credential is valid for %d ms', async (validForMs) => {
    const lookUp = lookUpOf('ada', {}, validForMs);
    for (const _time of [1, 2]) await callers.find('a', lookUp);
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test('is not remembered while they belong to no organization', async () => {
    const lookUp = lookUpOf('ada', { orgId: null, role: null, policyVersion: null });
    for (const _time of [1, 2]) await callers.find('a', lookUp);
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test('who sends several requests at once is looked up once', async () => {
    const { lookUp, answer } = slowLookUp('ada');
    const asked = [callers.find('a', lookUp), callers.find('a', lookUp), callers.find('a', lookUp)];
    answer();
    expect((await Promise.all(asked)).map(({ userId }) => userId)).toEqual(['ada', 'ada', 'ada']);
    expect(lookUp).toHaveBeenCalledTimes(1);
  });

  test('is forgotten with all their credentials when they change, and nobody else is', async () => {
    const [ada, bob] = [lookUpOf('ada'), lookUpOf('bob')];
    for (const digest of ['a1', 'a2']) await callers.find(digest, ada);
    await callers.find('b', bob);
    callers.forget('ada');
    for (const digest of ['a1', 'a2']) await callers.find(digest, ada);
    await callers.find('b', bob);
    expect([ada.mock.calls.length, bob.mock.calls.length]).toEqual([4, 1]);
  });
});

describe('a look-up that began before a change', () => {
  test.each([
    ['of the caller', () => callers.forget('ada')],
    ['of anybody, since nobody knows yet whose credential it is', () => callers.forget('bob')],
    ['that was not heard of', () => callers.suspend()],
    [
      'that may have been missed',
      () => {
        callers.suspend();
        callers.resume();
      },
    ],
  ])('%s answers those who asked before it only', async (_what, change) => {
    const { lookUp, answer } = slowLookUp('ada');
    const before = callers.find('a', lookUp);
    change();
    const later = lookUpOf('ada', { role: 'viewer' });
    expect(await callers.find('a', later)).toMatchObject({ role: 'viewer' });
    callers.forget('ada');
    answer();
    expect(await before).toMatchObject({ role: 'member' });
    expect(await callers.find('a', later)).toMatchObject({ role: 'viewer' });
    expect(later).toHaveBeenCalledTimes(2);
  });
});

describe('while changes are not heard', () => {
  test('nobody is remembered, and each request has a look-up of its own', async () => {
    const lookUp = lookUpOf('ada');
    await callers.find('a', lookUp);
    callers.suspend();
    await callers.find('a', lookUp);
    await Promise.all([callers.find('a', lookUp), callers.find('a', lookUp)]);
    expect(lookUp).toHaveBeenCalledTimes(4);
    callers.resume();
    for (const _time of [1, 2]) await callers.find('a', lookUp);
    expect(lookUp).toHaveBeenCalledTimes(5);
  });
});

describe('an invalid credential', () => {
  test('is looked up each time, and works as soon as it exists', async () => {
    const invalid = jest.fn(async (): Promise<FoundCaller> => {
      throw new AppError('unauthenticated', 'invalid');
    });
    for (const _time of [1, 2]) await expect(callers.find('a', invalid)).rejects.toThrow('invalid');
    expect(invalid).toHaveBeenCalledTimes(2);
    expect(await callers.find('a', lookUpOf('ada'))).toMatchObject({ userId: 'ada' });
  });

  test('displaces nobody, however many there are', async () => {
    const ada = lookUpOf('ada');
    await callers.find('a', ada);
    for (let guess = 0; guess < 30_000; guess += 1) {
      await callers.find(`guess ${guess}`, async () => Promise.reject(new Error('invalid'))).catch(() => undefined);
    }
    await callers.find('a', ada);
    expect(ada).toHaveBeenCalledTimes(1);
  });
});

test('a user with many credentials takes a hundred entries, those used last, and displaces nobody else’s', async () => {
  const [ada, bob] = [lookUpOf('ada'), lookUpOf('bob')];
  await callers.find('b', bob);
  for (let at = 0; at < 30_000; at += 1) await callers.find(`a ${at}`, ada);
  await callers.find('b', bob);
  expect(bob).toHaveBeenCalledTimes(1);
  ada.mockClear();
  for (let at = 30_000 - 100; at < 30_000; at += 1) await callers.find(`a ${at}`, ada);
  expect(ada).not.toHaveBeenCalled();
  await callers.find(`a ${30_000 - 101}`, ada);
  expect(ada).toHaveBeenCalledTimes(1);
});
