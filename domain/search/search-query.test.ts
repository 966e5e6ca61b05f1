import { expect, test } from '@jest/globals';
import { isLongEnough, parseSearchQuery } from './search-query.ts';

test.each([
  [
    'quarterly rep',
    [
      [['quarterly'], false],
      [['rep'], true],
    ],
  ],
  [
    '"quarterly report" sales',
    [
      [['quarterly', 'report'], false],
      [['sales'], true],
    ],
  ],
  [
    'sales "Quarterly REPORT"',
    [
      [['sales'], false],
      [['quarterly', 'report'], false],
    ],
  ],
  ['snake_case', [[['snake', 'case'], true]]],
  [
    'an "open end',
    [
      [['an'], false],
      [['open'], false],
      [['end'], true],
    ],
  ],
  ['日本語', [[['日本', '本語'], true]]],
  [
    '犬 and 猫',
    [
      [['犬'], true],
      [['and'], false],
      [['猫'], true],
    ],
  ],
  ['"" !! ...', []],
])('is read as phrases, of which the last may go on: %j', (query, expected) => {
  expect(parseSearchQuery(query).map(({ words, isPrefix }) => [words, isPrefix])).toEqual(expected);
});

test('has a limited number of words', () => {
  const phrases = parseSearchQuery('word '.repeat(100));
  expect(phrases).toHaveLength(20);
});

test.each([
  ['ab', true],
  [' a ', false],
  ['魚', true],
  [' あ ', true],
  ['é', false],
  ['?', false],
  ['', false],
])('%j is long enough: %s', (query, isEnough) => {
  expect(isLongEnough(query)).toBe(isEnough);
});
