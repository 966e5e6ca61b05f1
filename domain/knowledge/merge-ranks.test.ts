import { expect, test } from '@jest/globals';
import { mergeRanks } from './merge-ranks.ts';

const merge = (...lists: string[]) =>
  mergeRanks(
    lists.map((list) => list.split('')),
    (item) => item,
  );

test('what several searches found comes before what one has found first', () => {
  const merged = merge('abc', 'cd');
  expect(merged.map(({ item }) => item)).toEqual(['c', 'a', 'b', 'd']);
  expect(merged[0]).toEqual({ item: 'c', score: 1 / 63 + 1 / 61, lists: [0, 1] });
});

test('the order of one list stays, and equals come in the same order each time', () => {
  expect(merge('cab').map(({ item }) => item)).toEqual(['c', 'a', 'b']);
  expect(merge('ba', 'ab').map(({ item }) => item)).toEqual(['a', 'b']);
  expect(merge()).toEqual([]);
});
