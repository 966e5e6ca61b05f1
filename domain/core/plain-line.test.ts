import { expect, test } from '@jest/globals';
import { plainLine, plainLines } from './plain-line.ts';

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
