import { expect, test } from '@jest/globals';
import { scoreOf, tellingWords, weightsOf } from './word-weights.ts';

test('a rare word weighs more than a common one', () => {
  const [common = 0, rare = 0] = weightsOf([900, 3], 1_000);
  expect(rare).toBeGreaterThan(10 * common);
  expect(scoreOf([1, 0], [common, rare])).toBeLessThan(scoreOf([0, 1], [common, rare]));
});

test('passages are looked for by what tells them apart, the rarest word first', () => {
  expect(tellingWords([900, 40, 3], 1_000)).toEqual([2, 1]);
  expect(tellingWords([900, 0, 800], 1_000)).toEqual([1, 2]);
  expect(tellingWords([4, 5], 5)).toEqual([0, 1]);
  expect(tellingWords([], 0)).toEqual([]);
});
