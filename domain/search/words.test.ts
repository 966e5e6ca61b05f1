import { expect, test } from '@jest/globals';
import { wordsIn } from './words.ts';

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

test('a word tells where it stands in the text', () => {
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
