import { describe, expect, test } from '@jest/globals';
import { FairSlots } from './fair-slots.ts';

const never = new AbortController().signal;
const limits = { atWork: 3, atWorkOfOne: 2, waiting: 3, waitingSize: 100 };

/** Takes slots and notes who got one, in order. */
function noting(slots: FairSlots) {
  const begun: string[] = [];
  const take = async (orgId: string, signal = never) => {
    await slots.take(orgId, 1, signal);
    begun.push(orgId);
  };
  return { begun, take };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('FairSlots', () => {
  test('gives one organization no more than its share, and the rest to others', async () => {
    const slots = new FairSlots(limits);
    const { begun, take } = noting(slots);
    for (const orgId of ['a', 'a', 'a', 'b', 'b']) void take(orgId);
    await settled();
    expect(begun).toEqual(['a', 'a', 'b']);
  });

  test('lets organizations take turns, however many jobs of one wait', async () => {
    const slots = new FairSlots({ ...limits, atWork: 1 });
    const { begun, take } = noting(slots);
    for (const orgId of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) void take(orgId);
    for (let count = 0; count < 6; count += 1) {
      await settled();
      slots.free(begun.at(-1) ?? '');
    }
    await settled();
    expect(begun.join('')).toBe('aabcaba');
  });

  test('refuses what would wait beyond the bounds, and says so', async () => {
    const slots = new FairSlots({ ...limits, atWork: 0 });
    await expect(slots.take('a', 101, never)).rejects.toMatchObject({ kind: 'rate_limited' });
    for (let count = 0; count < 3; count += 1) void slots.take('a', 1, never);
    await expect(slots.take('a', 1, never)).rejects.toThrow('Too many calculations');
    void slots.take('b', 1, never);
  });

  test('forgets a job that is told to stop while it waits', async () => {
    const slots = new FairSlots({ ...limits, atWork: 1 });
    const { begun, take } = noting(slots);
    await take('a');
    const controller = new AbortController();
    const leaving = take('b', controller.signal);
    void take('c');
    controller.abort(new Error('told to'));
    await expect(leaving).rejects.toThrow('told to');
    slots.free('a');
    await settled();
    expect(begun).toEqual(['a', 'c']);
  });
});
