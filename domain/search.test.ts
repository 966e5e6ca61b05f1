import { expect, test } from '@jest/globals';
import { excerptOf, isLongEnough, parseSearchQuery, wordsIn } from './search.ts';

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

const textsOf = (text: string) => [...wordsIn(text)].map((word) => word.text);

test.each([
  ['Hello, World! snake_case 3.14', ['hello', 'world', 'snake', 'case', '3', '14']],
  ["l'Année d’été — Ελλάδα ΆΓΙΟΣ", ['l', 'annee', 'd', 'ete', 'ελλαδα', 'αγιος']],
  ['Straße Łódź SØREN ISTANBUL İzmir', ['strasse', 'lodz', 'soren', 'istanbul', 'izmir']],
  ['Ёлка', ['елка']],
  ['שָׁלוֹם مُحَمَّد', ['שלום', 'محمد']],
  ['हिन्दी', ['हिन्दी']],
  ['한국어 문장', ['한국어', '문장']],
  ['日本語', ['日本', '本語', '語']],
  ['ガ 東京tower', ['ガ', '東京', '京', 'tower']],
  ['', []],
  ['!?… ~', []],
])('words are found whatever their case and accents: %j', (text, expected) => {
  expect(textsOf(text)).toEqual(expected);
});

test('the same letters are the same word however they are composed', () => {
  expect(textsOf('é')).toEqual(textsOf('e\u0301'));
  expect(textsOf('ﬁnd')).toEqual(['find']);
});

test('a word has its position in the text', () => {
  const text = 'Ça va: 日本𠀀.';
  expect([...wordsIn(text)].map(({ start, end }) => text.slice(start, end))).toEqual([
    'Ça',
    'va',
    '日本',
    '本𠀀',
    '𠀀',
  ]);
});

test('a word without an end is cut, and a text of marks has none', () => {
  expect(textsOf('x'.repeat(500))).toEqual(['x'.repeat(64)]);
  expect(textsOf('\u0301\u0301')).toEqual([]);
});

const excerpt = (text: string, query: string) => excerptOf(text, parseSearchQuery(query));

test('marks what was found, the beginning of a word as the whole word', () => {
  expect(excerpt('The Report says that sales rose.', 'report sal')).toBe(
    'The <mark>Report</mark> says that <mark>sales</mark> rose.',
  );
});

test('is safe as HTML, whatever the message contains', () => {
  const text = '<script>alert("report")</script> & <mark>report</mark> \'report\'';
  expect(excerpt(text, 'report')).toBe(
    '&lt;script&gt;alert(&quot;<mark>report</mark>&quot;)&lt;/script&gt; &amp; &lt;mark&gt;<mark>report</mark>&lt;/mark&gt; &#39;<mark>report</mark>&#39;',
  );
});

test('is the part of a long text in which most of what was searched for is found', () => {
  const filler = 'nothing of that kind here '.repeat(40);
  const text = `report ${filler}the sales report of May ${filler}`;
  const found = excerpt(text, 'sales report');
  expect(found).toMatch(/^….*the <mark>sales<\/mark> <mark>report<\/mark> of May.*…$/);
  expect(found.length).toBeLessThan(330);
});

test('marks a run without blanks once', () => {
  expect(excerpt('これは日本語の文です', '日本語')).toBe('これは<mark>日本語</mark>の文です');
});

test('is the beginning where nothing is found, without line ends', () => {
  expect(excerpt('One\n\ttwo\u2028three', 'four')).toBe('One two three');
});

test('breaks no character, and takes little time over the worst text', () => {
  expect(excerpt('😀'.repeat(20_000), 'x').isWellFormed()).toBe(true);
  expect(excerpt('a '.repeat(100_000), 'a').length).toBeLessThan(3_000);
});
