import { describe, expect, jest, test } from '@jest/globals';
import { CRASH_MS, KeyedSemaphore } from '../../../domain/core/keyed-semaphore.ts';
import { ProcessDied, ToolFailure } from '../tool-failure.ts';
import { type ScriptSlot, ScriptSlots } from './script-slots.ts';

const BOUNDS = { perPayer: 2, total: 5, graceMs: 0, maxWaiting: 10, maxWaitingSize: 100, maxWaitMs: 60_000 };

/** Slots of scripts that end when they are asked to, or when their slot is taken away. */
function openSlots(bounds: Partial<typeof BOUNDS> = {}) {
  const slots = new ScriptSlots({ ...BOUNDS, ...bounds });
  const stop = new AbortController();
  const begin = (orgId: string, isWaiting = true, ownerId = orgId) => {
    const begun = Promise.withResolvers<ScriptSlot>();
    const ended = Promise.withResolvers<string>();
    const work = async (slot: ScriptSlot) => {
      slot.lost.addEventListener('abort', () => ended.reject(slot.lost.reason));
      slot.setWaiting(isWaiting);
      begun.resolve(slot);
      return ended.promise;
    };
    const outcome = slots.run({ ownerId, orgId }, work, { size: 1, signal: stop.signal }).catch(String);
    return { begun: begun.promise, outcome, end: () => ended.resolve('ended') };
  };
  return { begin, stop: () => stop.abort(new Error('stopped')) };
}

const begunOf = async (scripts: readonly { readonly begun: Promise<ScriptSlot> }[]) =>
  Promise.all(scripts.map(async ({ begun }) => begun));

test('a script that has ended its process is counted against its owner, and one that has failed is not', async () => {
  const charged = jest.spyOn(KeyedSemaphore.prototype, 'charge');
  const slots = new ScriptSlots(BOUNDS);
  const payer = { ownerId: 'one', orgId: 'a' };
  const options = { size: 1, signal: new AbortController().signal };
  for (const failure of [new ProcessDied('upstream', 'died'), new ToolFailure('upstream', 'failed')])
    await expect(slots.run(payer, () => Promise.reject(failure), options)).rejects.toBe(failure);
  expect(charged.mock.calls).toEqual([[payer, CRASH_MS]]);
  charged.mockRestore();
});

describe('scripts that wait for answers', () => {
  test('give way to that of another organization while all slots are taken, the longest first', async () => {
    const { begin } = openSlots();
    const [first, ...others] = ['a', 'a', 'b', 'b', 'c'].map((orgId) => begin(orgId));
    await begunOf([...others]);
    const newcomer = begin('d');
    await newcomer.begun;
    expect(await first?.outcome).toContain('while others needed its slot');
    for (const script of [...others, newcomer]) {
      script.end();
      expect(await script.outcome).toBe('ended');
    }
  });

  test('give way one after the other, to each organization that has none', async () => {
    const { begin, stop } = openSlots();
    const [, second] = await begunOf(['a', 'a', 'b', 'b', 'c'].map((orgId) => begin(orgId)));
    await begunOf(['d', 'e', 'f', 'g'].map((orgId) => begin(orgId)));
    expect(second?.lost.aborted).toBe(true);
    stop();
  });

  test('keep their slots when nobody has fewer', async () => {
    const { begin, stop } = openSlots();
    const running = await begunOf(['a', 'a', 'b', 'b', 'c'].map((orgId) => begin(orgId)));
    const more = begin('a');
    stop();
    expect(await more.outcome).toContain('stopped');
    expect(running.map(({ lost }) => lost.aborted)).toEqual([false, false, false, false, false]);
  });

  test('keep their slots for a time, and those that compute for good', async () => {
    for (const bounds of [{ graceMs: 60_000 }, {}]) {
      const { begin, stop } = openSlots(bounds);
      const running = await begunOf(
        ['a', 'a', 'b', 'b', 'c'].map((orgId) => begin(orgId, bounds.graceMs !== undefined)),
      );
      const newcomer = begin('d');
      stop();
      expect(await newcomer.outcome).toContain('stopped');
      expect(running.some(({ lost }) => lost.aborted)).toBe(false);
    }
  });
});

test('an organization has no more scripts than it may have, and those beyond wait no longer than they may', async () => {
  const { begin } = openSlots({ maxWaitMs: 20 });
  const running = [begin('a'), begin('a')];
  await begunOf(running);
  expect(await begin('a').outcome).toContain('at most 2 for the organizations of one owner');
  const next = begin('a');
  running[0]?.end();
  await next.begun;
});

test('a script begins although one person has scripts that compute in many organizations', async () => {
  const { begin, stop } = openSlots();
  const many = Array.from({ length: 9 }, (_, at) => begin(`org ${at}`, false, 'one person'));
  await begunOf(many.slice(0, 2));
  await begin('neighbour').begun;
  stop();
  const outcomes = await Promise.all(many.slice(2).map(async ({ outcome }) => outcome));
  expect(outcomes).toEqual(Array.from({ length: 7 }, () => 'Error: stopped'));
});
