import { expect, test } from '@jest/globals';
import { formatDuration } from './formats.ts';

test.each([
  [0, '0.0 s'],
  [0.017, '17 ms'],
  [0.096, '0.1 s'],
  [9.94, '9.9 s'],
  [9.96, '10 s'],
  [59.4, '59 s'],
  [59.7, '1 min 0 s'],
  [119.4, '1 min 59 s'],
  [119.7, '2 min 0 s'],
  [3599.7, '1 h 0 min'],
  [7260, '2 h 1 min'],
])('%d seconds are said as %s', (seconds, words) => {
  expect(formatDuration(seconds)).toBe(words);
});
