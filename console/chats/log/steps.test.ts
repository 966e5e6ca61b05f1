import { expect, test } from '@jest/globals';
import { openWords } from './steps.tsx';

test('the words of six sub-agents are shown at a time: the oldest are hidden for others', () => {
  const hidden: number[] = [];
  const ends = Array.from({ length: 6 }, (_, index) => openWords(() => hidden.push(index)));
  expect(hidden).toEqual([]);
  ends[1]?.();
  openWords(() => hidden.push(6));
  expect(hidden).toEqual([]);
  openWords(() => hidden.push(7));
  openWords(() => hidden.push(8));
  expect(hidden).toEqual([0, 2]);
});
