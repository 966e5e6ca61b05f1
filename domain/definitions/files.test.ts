import { describe, expect, test } from '@jest/globals';
import { findPathClash, keyIssue, pathIssue } from './files.ts';

describe('pathIssue', () => {
  test.each([
    'SKILL.md',
    'references/api.md',
    'a b/c-d_e.txt',
    'résumé.md',
    '資料/メモ.md',
    '.hidden',
    'a..b',
    '日本.md',
  ])('accepts %j', (path) => {
    expect(pathIssue(path)).toBeUndefined();
  });

  test.each([
    ['', 'characters'],
    ['a'.repeat(201), 'characters'],
    ['/etc/passwd', 'relative'],
    ['../up.md', '. and ..'],
    ['a/../../b', '. and ..'],
    ['./a', '. and ..'],
    ['a//b', 'empty'],
    ['a/', 'empty'],
    ['a\\b', 'any of'],
    ['C:/a', 'any of'],
    ['a\u0000b', 'control'],
    ['a\nb', 'control'],
    ['a\u202Ecod.md', 'invisible'],
    ['re\u0301sume\u0301.md', 'NFC'],
    ['a /b', 'blank'],
    ['a./b', 'dot'],
    [' a', 'blank'],
    ['\uD800', 'characters'],
    ['a/b/c/d/e/f/g/h/i/j/k', 'levels'],
  ])('rejects %j', (path, words) => {
    expect(pathIssue(path)).toContain(words);
  });
});

describe('findPathClash', () => {
  test('finds two paths that differ in case only', () => {
    expect(findPathClash(['a/B.md', 'c', 'A/b.md'])).toEqual({ path: 'A/b.md', other: 'a/B.md' });
  });

  test('finds a file that is a folder of another', () => {
    expect(findPathClash(['a/b/c.md', 'A/b'])).toEqual({ path: 'a/b/c.md', other: 'A/b' });
  });

  test('finds nothing among files that can lie beside each other', () => {
    expect(findPathClash(['a/b', 'a/bc', 'ab', 'a/c'])).toBeUndefined();
  });
});

describe('keyIssue', () => {
  test.each(['time_now', 'a', '0-day', 'x'.repeat(64), 'mcpx'])('accepts %j', (key) => {
    expect(keyIssue(key)).toBeUndefined();
  });

  test.each(['', 'Time_now', 'a b', '_a', 'x'.repeat(65), 'mcp', 'mcp__server__tool', 'é', 'a\n'])(
    'rejects %j',
    (key) => {
      expect(keyIssue(key)).toBeDefined();
    },
  );
});
