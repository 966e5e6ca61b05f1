import { expect, test } from '@jest/globals';
import { formatBytes } from './format-bytes.ts';

test.each([
  [512 * 1024, '512 KB'],
  [1024 ** 2, '1 MB'],
  [1536 * 1024, '1,536 KB'],
  [2 * 1024 ** 3, '2 GB'],
  [1_000, '1,000 bytes'],
  [0, '0 bytes'],
])('%d bytes are said in the largest unit that leaves them whole', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});
