import { describe, expect, test } from '@jest/globals';
import { parseSize, SIZE_MESSAGE, sizeSetting } from './size.ts';

describe('parseSize', () => {
  test.each([
    ['90', 90],
    ['64K', 65_536],
    ['256M', 268_435_456],
    [' 1 G ', 1_073_741_824],
    ['1GB', 1_073_741_824],
  ])('reads %j', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  test.each(['', '0', '1.5G', '1T', 'G', '-1M', '9'.repeat(13), `${'9'.repeat(12)}G`])(
    'takes %j for no size',
    (text) => {
      expect(parseSize(text)).toBeUndefined();
    },
  );
});

test('a setting that is empty or missing has its default, and a faulty one a message', () => {
  expect([undefined, ''].map((text) => sizeSetting('1G').parse(text))).toEqual([1_073_741_824, 1_073_741_824]);
  expect(sizeSetting('1G').safeParse('much').error?.issues).toMatchObject([{ message: SIZE_MESSAGE }]);
});
