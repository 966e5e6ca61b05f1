import { expect, test } from '@jest/globals';
import { secondsOf } from './moment.ts';

const NOW = 1_800_000_000;

test.each([
  ['2027-01-15T08:00:00Z', 1_800_000_000],
  ['2027-01-15T09:00:00.5+01:00', 1_800_000_000.5],
  ['2027-01-15 08:00:00Z', 1_800_000_000],
  ['1799999999.25', 1_799_999_999.25],
  ['now', NOW],
  ['-90s', NOW - 90],
  ['now-1h30m', NOW - 5_400],
  ['-1w2d500ms', NOW - 777_600.5],
])('%s is the second %d', (text, seconds) => {
  expect(secondsOf(text, NOW)).toBe(seconds);
});

test.each([
  '',
  '-',
  'now-',
  'yesterday',
  '2027-01-15',
  '2027-01-15T08:00:00',
  '2027-13-45T08:00:00Z',
  '1h',
  '-1h x',
  '-1x',
  '-99999y',
])('%j is refused, with the ways to say a time', (text) => {
  expect(() => secondsOf(text, NOW)).toThrow(/is no time: give RFC 3339 with an offset/);
});
