import { describe, expect, test } from '@jest/globals';
import { freePathName, parseFilesLocation, toPathName } from './files.ts';

describe('toPathName', () => {
  test.each([
    ['report.pdf', 'report.pdf'],
    ['Überblick 2026.xlsx', 'Überblick 2026.xlsx'],
    ['../../etc/passwd', 'passwd'],
    [String.raw`..\..\boot.ini`, 'boot.ini'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['a\nb\u0000c.txt', 'abc.txt'],
    ['a\u2215b.txt', 'a∕b.txt'],
    ['a\uFF0Fb.txt', 'a_b.txt'],
    ['what? "this": <it>|*.md', 'what_ _this__ _it___.md'],
    ['con.txt', '_con.txt'],
    ['NUL', '_NUL'],
    ['notes. . ', 'notes'],
    ['..', 'file'],
    ['', 'file'],
    ['\u200B', 'file'],
    ['.env', '.env'],
  ])('gives %j the name %j', (given, expected) => {
    expect(toPathName(given)).toBe(expected);
  });

  test('shortens a long name, and keeps its ending', () => {
    const name = toPathName(`${'世'.repeat(300)}.docx`);
    expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(200);
    expect(name).toMatch(/^世+\.docx$/);
  });
});

describe('freePathName', () => {
  test.each([
    ['a.pdf', [], 'a.pdf'],
    ['a.pdf', ['a.pdf'], 'a (2).pdf'],
    ['a.pdf', ['a.pdf', 'a (2).pdf'], 'a (3).pdf'],
    ['a.pdf', ['a.pdf.txt'], 'a (2).pdf'],
    ['a.pdf.txt', ['a.pdf'], 'a.pdf (2).txt'],
    ['.env', ['.env'], '.env (2)'],
  ])('finds a name for %j beside %j', (wanted, taken, expected) => {
    expect(freePathName(wanted, new Set(taken))).toBe(expected);
  });
});

describe('parseFilesLocation', () => {
  test.each([
    ['', undefined],
    ['s3://files', { bucket: 'files', prefix: '', endpoint: undefined, region: 'us-east-1' }],
    [
      's3://files/a/b/?endpoint=http://minio:9000&region=eu-central-1',
      { bucket: 'files', prefix: 'a/b/', endpoint: 'http://minio:9000', region: 'eu-central-1' },
    ],
  ])('reads %j', (text, expected) => {
    expect(parseFilesLocation(text)).toEqual(expected);
  });

  test.each([
    'files',
    's3:',
    's3://',
    'https://s3.example.com/files',
    's3://key:secret@files',
    's3://files?endpoint=minio:9000',
    's3://files?acl=public',
  ])('refuses %j', (text) => {
    expect(() => parseFilesLocation(text)).toThrow('must be like s3://bucket');
  });
});
