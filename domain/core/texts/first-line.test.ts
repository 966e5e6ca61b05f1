import { expect, test } from '@jest/globals';
import { firstLine } from './first-line.ts';

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
