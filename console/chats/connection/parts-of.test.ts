import { expect, test } from '@jest/globals';
import { partsOf } from './parts-of.ts';
import type { CallStep } from './step-tree.ts';

const at = (offset: number) => ({ id: `at ${offset}`, offset }) as CallStep;
const told = (text: string, ...offsets: number[]) => {
  const { parts, rest } = partsOf(text, offsets.map(at));
  return [...parts.map(({ text: said, steps }) => [said, ...steps.map(({ offset }) => offset)]), rest];
};

test('steps stand where they were taken', () => {
  expect(told('I look.\n\nFound it.', 7)).toEqual([['I look.', 7], '\n\nFound it.']);
  expect(told('I look.\n\nAgain.\n\nDone.', 7, 7, 15)).toEqual([['I look.', 7, 7], ['\n\nAgain.', 15], '\n\nDone.']);
});

test('nothing is said twice or left out, wherever steps claim to be', () => {
  expect(told('Done.', 0, 0)).toEqual([['', 0, 0], 'Done.']);
  expect(told('Done.', 99, 3)).toEqual([['Done.', 99, 3], '']);
  expect(told('', 0, 7)).toEqual([['', 0, 7], '']);
  expect(told('Done.')).toEqual(['Done.']);
});
