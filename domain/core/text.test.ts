import { describe, expect, test } from '@jest/globals';
import { cut, jsonObject, nameText, text, toStorableText } from './text.ts';

describe('toStorableText', () => {
  test('replaces what PostgreSQL refuses, and nothing else', () => {
    expect(toStorableText('a\u0000b\uD800c\uDC00d😀')).toBe('a\uFFFDb\uFFFDc\uFFFDd😀');
  });
});

describe('cut', () => {
  test.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['abc', 0, ''],
    ['a😀', 3, 'a😀'],
    ['a😀', 2, 'a'],
    ['a😀b', 3, 'a😀'],
  ])('shortens %j to %d characters without breaking a pair', (whole, maxLength, beginning) => {
    expect(cut(whole, maxLength)).toBe(beginning);
  });
});

describe('text', () => {
  test.each(['\u0000', 'a\uD800', 'x'.repeat(11)])('refuses %j', (value) => {
    expect(text(10).safeParse(value).success).toBe(false);
  });
});

describe('nameText', () => {
  test('trims, and refuses what is blank then', () => {
    expect(nameText().parse('  a ')).toBe('a');
    expect(nameText().safeParse('   ').success).toBe(false);
  });

  test.each([
    'a\nb',
    'a\u0007b',
    'a\u001B[31mb',
    'a\u0085b',
    'a\u2028b',
    'invoice\u202Egpj.exe',
    'a\u2066b',
    'a\u200Bb',
    'a\uFEFFb',
  ])('refuses what is no line that shows as it is: %j', (name) => {
    expect(nameText().safeParse(name).success).toBe(false);
  });

  test.each(['Zo\u00eb \u00c5str\u00f6m', '\u5317\u4eac', '\u05d0\u05d1', '\ud83d\udc69\u200d\ud83d\udcbb Ada'])(
    'takes names of people: %s',
    (name) => {
      expect(nameText().parse(name)).toBe(name);
    },
  );
});

describe('jsonObject', () => {
  test('takes nested values', () => {
    expect(jsonObject().parse({ a: [1, { b: null }] })).toEqual({ a: [1, { b: null }] });
  });

  test.each([
    { a: '\u0000' },
    { '\u0000': 1 },
    { a: 'x'.repeat(70_000) },
    JSON.parse(`${'{"a":'.repeat(30)}1${'}'.repeat(30)}`) as unknown,
  ])('refuses what cannot be stored, is too deep or too large (%#)', (value) => {
    expect(jsonObject().safeParse(value).success).toBe(false);
  });
});
