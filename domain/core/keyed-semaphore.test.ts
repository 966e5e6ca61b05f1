import { setImmediate as settle } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CRASH_MS, KeyedSemaphore, type Payer } from './keyed-semaphore.ts';

const createError = () => new Error('too many');
const bounds = { perKey: 2, maxWaiting: 10, createError };

/** Holds places for work that ends when it is told to, and notes whose work has begun, in order. */
function recording(semaphore: KeyedSemaphore) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = async (key: string | Payer, options?: { size?: number; signal?: AbortSignal }) =>
    semaphore.run(
      key,
      async () => {
        begun.push(typeof key === 'string' ? key : key.orgId);
        return new Promise<void>((resolve) => ends.push(resolve));
      },
      options,
    );
  const endNext = async () => {
    ends.shift()?.();
    await settle();
  };
  return { begun, semaphore, run, endNext };
}

describe('KeyedSemaphore', () => {
  // What a key uses decides who is next: no time passes but what a test says.
  let now = 0;
  beforeEach(() => {
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('lets as much at work as one key may have, and the next when one has ended, in order', async () => {
    const semaphore = new KeyedSemaphore(bounds);
    const begun: number[] = [];
    const works = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const running = works.map(({ promise }, index) =>
      semaphore.run('a', async () => {
        begun.push(index);
        return promise;
      }),
    );
    await settle();
    expect(begun).toEqual([0, 1]);
    works[1]?.resolve();
    await settle();
    expect(begun).toEqual([0, 1, 2]);
    for (const { resolve } of works) resolve();
    await Promise.all(running);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test('lets nobody wait for another key', async () => {
    const semaphore = new KeyedSemaphore({ ...bounds, perKey: 1 });
    const { run, endNext } = recording(semaphore);
    const running = run('a');
    await expect(semaphore.run('b', async () => 'done')).resolves.toBe('done');
    await endNext();
    await running;
  });

  test('releases a slot when the work fails, to waiters too', async () => {
    const semaphore = new KeyedSemaphore({ ...bounds, perKey: 1 });
    const running = [
      semaphore.run('a', async () => Promise.reject(new Error('broken'))),
      semaphore.run('a', async () => 'done'),
    ];
    await expect(running[0]).rejects.toThrow('broken');
    await expect(running[1]).resolves.toBe('done');
    await expect(semaphore.run('a', async () => 'done')).resolves.toBe('done');
  });

  test('gives one key no more than its share of the total, and the rest to others', async () => {
    const { begun, run } = recording(new KeyedSemaphore({ ...bounds, total: 3 }));
    for (const key of ['a', 'a', 'a', 'b', 'b']) void run(key);
    await settle();
    expect(begun).toEqual(['a', 'a', 'b']);
  });

  test('lets keys take turns, however much of one waits', async () => {
    const { begun, run, endNext } = recording(new KeyedSemaphore({ ...bounds, total: 1 }));
    const running = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(async (key) => run(key));
    for (let count = 0; count < 7; count += 1) await endNext();
    await Promise.all(running);
    expect(begun.join('')).toBe('aabcaba');
  });

  test('gives a free slot to the key with the fewest', async () => {
    const { begun, run, endNext } = recording(new KeyedSemaphore({ ...bounds, total: 3, perKey: 3 }));
    const running = ['b', 'a', 'a', 'a', 'b', 'c'].map(async (key) => run(key));
    for (let count = 0; count < 6; count += 1) await endNext();
    await Promise.all(running);
    expect(begun.join('')).toBe('baabca');
  });

  test('gives a free slot to the key that has used the least, and forgets with time what was used', async () => {
    const { begun, run, endNext } = recording(new KeyedSemaphore({ ...bounds, total: 1 }));
    const useFor = async (key: string, ms: number) => {
      const running = run(key);
      now += ms;
      await endNext();
      await running;
    };
    await useFor('a', 5_000);
    await useFor('b', 3_000);
    const running = ['x', 'a', 'b', 'c'].map(async (key) => run(key));
    for (let count = 0; count < 4; count += 1) await endNext();
    now += 24 * 3_600_000;
    running.push(...['x', 'a', 'b'].map(async (key) => run(key)));
    for (let count = 0; count < 3; count += 1) await endNext();
    await Promise.all(running);
    expect(begun.join('')).toBe('abxcbaxab');
  });

  test('gives a free slot to others before a key that was charged for more, for an owner in all organizations', async () => {
    const { begun, semaphore, run, endNext } = recording(new KeyedSemaphore({ ...bounds, total: 1 }));
    semaphore.charge({ ownerId: 'many', orgId: '1' }, CRASH_MS);
    const running = [run('x'), run({ ownerId: 'many', orgId: '2' }), run('b'), run('c')];
    for (let count = 0; count < 4; count += 1) await endNext();
    await Promise.all(running);
    expect(begun.join('')).toBe('xbc2');
  });

  test('keeps the last slot for a key that has none', async () => {
    const { begun, run } = recording(new KeyedSemaphore({ ...bounds, total: 5, perKey: 4 }));
    for (const key of ['a', 'a', 'a', 'a', 'a', 'b', 'c']) void run(key);
    await settle();
    expect(begun.join('')).toBe('aaaab');
  });

  test('counts the organizations of one owner together, and lets these take turns', async () => {
    const { begun, run, endNext } = recording(new KeyedSemaphore({ ...bounds, perKey: 1, total: 2, maxWaiting: 4 }));
    const of = (ownerId: string, orgId: string) => run({ ownerId, orgId });
    const running = ['1', '1', '1', '2', '3'].map(async (orgId) => of('many', orgId));
    await expect(of('many', '4')).rejects.toThrow('too many');
    running.push(of('one', 'a'));
    await settle();
    expect(begun).toEqual(['1', 'a']);
    for (let count = 0; count < 6; count += 1) await endNext();
    await Promise.all(running);
    expect(begun.filter((orgId) => orgId !== 'a').join('')).toBe('11231');
  });

  test('refuses what would wait beyond the bounds of its key, and continues with the rest', async () => {
    const semaphore = new KeyedSemaphore({ ...bounds, perKey: 1, maxWaiting: 2, maxWaitingSize: 100 });
    const { begun, run, endNext } = recording(semaphore);
    const running = [run('a'), run('a', { size: 60 })];
    await expect(run('a', { size: 41 })).rejects.toThrow('too many');
    running.push(run('a', { size: 40 }));
    await expect(run('a')).rejects.toThrow('too many');
    running.push(run('b'));
    for (let count = 0; count < 4; count += 1) await endNext();
    await Promise.all(running);
    expect(begun.toSorted()).toEqual(['a', 'a', 'a', 'b']);
  });

  test('refuses what has waited too long, and gives its slot to the next', async () => {
    const semaphore = new KeyedSemaphore({ ...bounds, perKey: 1, maxWaiting: 1, maxWaitMs: 20 });
    const { begun, run, endNext } = recording(semaphore);
    const running = run('a');
    await expect(run('a')).rejects.toThrow('too many');
    const next = run('a');
    await endNext();
    await running;
    await endNext();
    await next;
    expect(begun).toEqual(['a', 'a']);
  });

  test('forgets what is aborted while it waits', async () => {
    const { begun, run, endNext } = recording(new KeyedSemaphore({ ...bounds, total: 1 }));
    const running = run('a');
    const controller = new AbortController();
    const leaving = run('b', { signal: controller.signal });
    const last = run('c');
    controller.abort(new Error('told to'));
    await expect(leaving).rejects.toThrow('told to');
    await expect(run('d', { signal: controller.signal })).rejects.toThrow('told to');
    await endNext();
    await running;
    await endNext();
    await last;
    expect(begun).toEqual(['a', 'c']);
  });

  test('takes work by its weight, heavier work than a bound alone', async () => {
    const semaphore = new KeyedSemaphore({ ...bounds, perKey: 10, total: 20 });
    const begun: string[] = [];
    const take = async (name: string, key: string, weight: number) => {
      const share = await semaphore.acquire(key, { weight });
      begun.push(name);
      return share;
    };
    const [small, heavy, beside] = [take('small', 'a', 1), take('heavy', 'a', 15), take('beside', 'b', 10)];
    await settle();
    expect(begun).toEqual(['small', 'beside']);
    (await small).reduceTo(0);
    await settle();
    expect(begun).toEqual(['small', 'beside']);
    (await beside).reduceTo(5);
    await settle();
    expect(begun).toEqual(['small', 'beside', 'heavy']);
    (await heavy).reduceTo(0);
  });

  test('lets nobody overtake work that waits for the total, nor heavier work of the same key', async () => {
    const semaphore = new KeyedSemaphore({ ...bounds, perKey: 10, total: 12 });
    const begun: string[] = [];
    const take = async (key: string, weight: number, signal?: AbortSignal) => {
      const share = await semaphore.acquire(key, { weight, ...(signal && { signal }) });
      begun.push(`${key}${weight}`);
      return share;
    };
    const first = take('a', 8);
    const giveUp = new AbortController();
    const heavy = take('b', 9, giveUp.signal);
    const light = take('c', 2);
    await settle();
    expect(begun).toEqual(['a8']);
    giveUp.abort(new Error('told to'));
    await expect(heavy).rejects.toThrow('told to');
    await settle();
    expect(begun).toEqual(['a8', 'c2']);
    const [next, last] = [take('a', 7), take('a', 1)];
    await settle();
    expect(begun).toEqual(['a8', 'c2']);
    (await first).reduceTo(0);
    for (const share of await Promise.all([next, last, light])) share.reduceTo(0);
    expect(begun).toEqual(['a8', 'c2', 'a7', 'a1']);
  });
});
