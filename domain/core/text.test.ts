import { describe, expect, test } from '@jest/globals';
import {
  cut,
  firstLine,
  formatBytes,
  jsonObject,
  nameText,
  plainLine,
  plainLines,
  text,
  TextBuffer,
  toStorableText,
} from './text.ts';

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

const FAMILY = '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}';

test.each([
  ['\n  Compare the\treports  \nof both quarters', 'Compare the reports'],
  ['# Heading\ntext', 'Heading'],
  ['> ## Quoted', 'Quoted'],
  ['#hashtag', '#hashtag'],
  ['```js\nconst a = 1;\n```', 'const a = 1;'],
  ['~~~\r\nplain\r\n~~~', 'plain'],
  ['```inline``` code', '```inline``` code'],
  ['```\n```', ''],
  ['\u200B\n# \n', ''],
  ['', ''],
])('of %j is %j', (text, line) => {
  expect(firstLine(text, 80)).toBe(line);
});

test.each([
  ['word '.repeat(40), 'word '.repeat(16).trim()],
  [`${'a'.repeat(79)}\u{1F600}`, 'a'.repeat(79)],
  [`${'a'.repeat(76)}${FAMILY}b`, 'a'.repeat(76)],
  [`${'a'.repeat(74)}e\u0301${'\u0301'.repeat(8)}b`, 'a'.repeat(74)],
  [`a${'\u0301'.repeat(200)}`, `a${'\u0301'.repeat(79)}`],
  ['a'.repeat(80), 'a'.repeat(80)],
])('is cut between what shows as characters (%j)', (text, line) => {
  expect(firstLine(text, 80)).toBe(line);
});

test.each([
  ['a\nb\r\nc\u2028d', 'a b c d'],
  ['a\u202Eb\u2066c\u200B', 'abc'],
  ['hidden\u{E0041}\u{E0042}\u00AD', 'hidden'],
  ['\u0000a\u0007\u001B[31m', 'a[31m'],
  ['half \uD83D', 'half \uFFFD'],
  ['  نمی‌خواهم \u{1F600} ', 'نمی‌خواهم \u{1F600}'],
])('%j becomes %j', (text, line) => {
  expect(plainLine(text, 100)).toBe(line);
});

test('a long text is cut, and says so', () => {
  expect(plainLine('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`);
  expect(plainLine(`a${'\u200B'.repeat(1_000)}b`, 10)).toBe('a…');
  expect(plainLine('\u{1F600}'.repeat(10), 4)).toBe('\u{1F600}…');
});

test('several lines keep their ends, and each begins with blanks', () => {
  expect(plainLines('one\n\nabc>>\n  two\r\nthree', 100)).toBe('  one\n  abc>>\n  two\n  three');
  expect(plainLines('one\ntwo', 5)).toBe('  one\n  t\n  …');
  expect(plainLines(' \n', 100)).toBe('');
});

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

test('a gathered text is that of its chunks, in order, whenever it is asked for', () => {
  const gathered = new TextBuffer();
  let whole = '';
  for (let at = 0; at < 5_000; at += 1) {
    const chunk = String(at % 7).repeat(at % 4);
    gathered.add(chunk);
    whole += chunk;
    expect(gathered.length).toBe(whole.length);
    if (at % 611 === 0) expect(gathered.text).toBe(whole);
  }
  expect(gathered.text).toBe(whole);
});
