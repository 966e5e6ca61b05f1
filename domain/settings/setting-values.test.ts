import { describe, expect, test } from '@jest/globals';
import {
  DURATION_MESSAGE,
  durationSetting,
  parseDuration,
  parseSize,
  SIZE_MESSAGE,
  sizeSetting,
} from './setting-values.ts';

describe('parseDuration', () => {
  test.each([
    ['90', 90_000],
    ['0', 0],
    ['250ms', 250],
    ['90s', 90_000],
    [' 5 m ', 300_000],
    ['6h', 21_600_000],
    ['1.5h', 5_400_000],
    ['720h', 2_592_000_000],
  ])('reads %j', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(['', 'h', '-1', '1e3', '6 hours', '6H', '1d', '1h30m', '721h', 'Infinity', 'NaN', '0x10'])(
    'takes %j for no duration',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe('durationSetting', () => {
  test.each([undefined, ''])('falls back when the variable is %j', (text) => {
    expect(durationSetting('6h').parse(text)).toBe(21_600_000);
  });

  test('says how a duration is written when the variable is none', () => {
    expect(durationSetting('6h').safeParse('soon').error?.issues).toMatchObject([{ message: DURATION_MESSAGE }]);
  });
});

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
