import { expect, test } from '@jest/globals';
import { GroupedWrites } from './grouped-writes.ts';

/** Writes that each wait until they are let go, and what they were given. */
function heldWrites() {
  const groups: (readonly number[])[] = [];
  const held: (() => void)[] = [];
  const writes = new GroupedWrites<number>(async (items) => {
    groups.push(items);
    await new Promise<void>((resolve) => held.push(resolve));
  });
  return { writes, groups, held };
}

const settle = async () => new Promise((resolve) => setImmediate(resolve));

test('an item is written at once while nothing else is', async () => {
  const { writes, groups, held } = heldWrites();
  const added = writes.add(1);
  expect(groups).toEqual([[1]]);
  held[0]?.();
  await added;
});

test('what comes while two writes are under way is written together, in order, by the first that ends', async () => {
  const { writes, groups, held } = heldWrites();
  const added = [1, 2, 3, 4, 5].map(async (item) => writes.add(item));
  expect(groups).toEqual([[1], [2]]);
  expect(writes.waitingCount).toBe(3);
  held[1]?.();
  await added[1];
  expect(groups).toEqual([[1], [2], [3, 4, 5]]);
  expect(writes.waitingCount).toBe(0);
  held[2]?.();
  await Promise.all(added.slice(1));
});

test('nothing that was added is said to be written before its write has ended', async () => {
  const { writes, held } = heldWrites();
  const ended: number[] = [];
  for (const item of [1, 2, 3]) void writes.add(item).then(() => ended.push(item));
  const idle = writes.whenIdle().then(() => ended.push(0));
  await settle();
  expect(ended).toEqual([]);
  for (let next = 0; next < 3; next += 1) {
    held[next]?.();
    await settle();
  }
  await idle;
  expect(ended).toEqual([1, 2, 3, 0]);
});

test('a write takes two hundred items at most', async () => {
  const { writes, groups, held } = heldWrites();
  const added = Array.from({ length: 402 }, async (_item, n) => writes.add(n));
  for (let next = 0; next < 4; next += 1) {
    held[next]?.();
    await settle();
  }
  await Promise.all(added);
  expect(groups.map(({ length }) => length)).toEqual([1, 1, 200, 200]);
});
