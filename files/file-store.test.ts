import { expect, test } from '@jest/globals';
import { rechunk } from './file-store.ts';

async function* chunksOf(...sizes: number[]): AsyncGenerator<Buffer, void, undefined> {
  let next = 0;
  for (const size of sizes) yield Buffer.from(Array.from({ length: size }, () => next++ % 256));
}

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test.each([
  [[], []],
  [[0, 0], []],
  [[3], [3]],
  [[4], [4]],
  [
    [1, 2, 3, 4],
    [4, 4, 2],
  ],
  [
    [9, 1],
    [4, 4, 2],
  ],
  [
    [4, 0, 4],
    [4, 4],
  ],
])('chunks of %j bytes become pieces of %j', async (sizes, expected) => {
  const chunks = await listOf(rechunk(chunksOf(...sizes), 4));
  expect(chunks.map(({ length }) => length)).toEqual(expected);
  const whole = await listOf(chunksOf(...sizes));
  expect(Buffer.concat(chunks)).toEqual(Buffer.concat(whole));
});
