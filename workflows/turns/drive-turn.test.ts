import { expect, test } from '@jest/globals';
import { WakeFlag } from './drive-turn.ts';

test('a wake for a turn names it, also after one that was for any', () => {
  const flag = new WakeFlag();
  const lowered = (...seqs: readonly (number | undefined)[]) => {
    for (const seq of seqs) flag.raise(seq);
    return flag.lower();
  };
  expect(lowered(3, undefined)).toBeUndefined();
  expect(lowered(2, 1)).toBe(2);
  expect(lowered()).toBeUndefined();
});
