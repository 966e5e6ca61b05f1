import { describe, expect, test } from '@jest/globals';
import { ToolFailure } from '../tool-failure.ts';
import { filePath, folderPath } from './workspace-path.ts';

describe('a path', () => {
  test.each([
    ['a.md', ['a.md']],
    ['./a.md', ['a.md']],
    ['notes/2026/plan.md', ['notes', '2026', 'plan.md']],
    ['.env', ['.env']],
    ['..hidden', ['..hidden']],
    ['__proto__', ['__proto__']],
    ['%2e%2e', ['%2e%2e']],
    ['Übersicht – ✓.md', ['Übersicht – ✓.md']],
  ])('%j is one of the workspace', (text, names) => {
    expect(filePath(text)).toEqual(names);
  });

  test.each(['.', './', ''])('%j is the workspace itself', (text) => {
    expect(folderPath(text)).toEqual([]);
    expect(() => filePath(text)).toThrow(ToolFailure);
  });

  test('has one form, however its letters are composed', () => {
    expect(filePath('u\u0308.md')).toEqual(filePath('\u00fc.md'));
  });

  test.each([
    '/etc/passwd',
    '//etc/passwd',
    '..',
    '../x',
    'a/../../b',
    'a/..',
    'a/./b',
    'a//b',
    '././a',
    '...',
    String.raw`..\..\win.ini`,
    String.raw`a\b`,
    'C:/x',
    String.raw`C:\x`,
    'c:x',
    'file.md:ads',
    'file.md::$DATA',
    'a\u0000.md',
    'x\r\ny',
    'a\u202Egpj.md',
    'a\u200Bb',
    '．．/etc',
    '‥/etc',
    'a／b',
    'CON',
    'nul',
    'aux.md',
    'COM1',
    'name.',
    'name ',
    ' name',
    'x'.repeat(256),
    'ü'.repeat(128),
    `${'a/'.repeat(33)}b`,
    'x'.repeat(5000),
    '\uD800',
  ])('%j is refused', (text) => {
    expect(() => folderPath(text)).toThrow(ToolFailure);
  });
});
