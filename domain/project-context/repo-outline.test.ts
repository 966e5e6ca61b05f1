import { describe, expect, test } from '@jest/globals';
import { toItsEnd } from '../../test/support/to-its-end.ts';
import { MAX_OUTLINE_CHARACTERS, outlineOf, type RepoEntry } from './repo-outline.ts';

const files = (...paths: string[]): RepoEntry[] => paths.map((path) => ({ path, isFolder: false }));
const folder = (path: string): RepoEntry => ({ path, isFolder: true });
const whole = { isPartial: false };

describe('an outline', () => {
  test('has a line for each folder, the work first, and says how many files there are', () => {
    const entries = [
      ...files('README.md', 'zebra.txt', 'package.json', '.gitignore', 'docs/a.md', 'docs/b.md', 'docs/c.md'),
      ...files('src/index.ts', 'src/api/routes.ts', 'node_modules/x/index.js', '.github/workflows/ci.yml'),
      folder('src'),
      folder('src/empty'),
    ];
    expect(outlineOf(entries, whole)).toEqual({
      files: 11,
      text: [
        '/: src/ (2), docs/ (3), .github/ (1), node_modules/ (1), README.md, package.json, zebra.txt, .gitignore',
        '/src/: api/ (1), empty/ (0), index.ts',
        '/docs/: a.md, b.md, c.md',
        '/.github/: workflows/ (1)',
        '/src/api/: routes.ts',
        '/.github/workflows/: ci.yml',
      ].join('\n'),
    });
  });

  test('counts nothing where only a part was read', () => {
    expect(outlineOf([folder('src'), ...files('src/a.ts', 'b.ts')], { isPartial: true })).toEqual({
      files: undefined,
      text: '/: src/, b.ts\n/src/: a.ts',
    });
  });

  test('of nothing is empty', () => {
    expect(outlineOf([], whole)).toEqual({ text: '', files: 0 });
  });

  test('is bounded, and keeps the files that say what the repository is', () => {
    const many = Array.from({ length: 500 }, (_, at) => [`folder-${at}/file.txt`, `file-${at}.txt`]).flat();
    const { text } = outlineOf(files(...many, 'README.md'), whole);
    expect(text.length).toBeLessThanOrEqual(MAX_OUTLINE_CHARACTERS);
    expect(text.split('\n')[0]).toMatch(/README\.md.*, and 941 more$/);
  });

  test('shows names in their position, whatever they contain', () => {
    const names = ['a\nb: c', 'x\u202Etxt.exe', 'one, two', 'n'.repeat(500), '\u0007'];
    const lines = outlineOf(files(...names), whole).text.split('\n');
    expect(lines).toEqual([`/: "", a b: c, ${'n'.repeat(79)}…, "one, two", xtxt.exe`]);
  });

  test.each([
    ['100,000 files in one folder', () => Array.from({ length: 100_000 }, (_, at) => `src/${at}.ts`)],
    ['100,000 folders', () => Array.from({ length: 100_000 }, (_, at) => `${at}/a.ts`)],
    ['100,000 files deep down', () => Array.from({ length: 100_000 }, (_, at) => `a/b/c/d/e/f/g/h/${at}/x.ts`)],
    ['a path of 100,000 parts', () => ['a/'.repeat(100_000)]],
    ['empty parts', () => ['//a//', '/', '']],
  ])('takes no long for %s', async (_what, paths) => {
    const outline = await toItsEnd(() => outlineOf(files(...paths()), whole));
    expect(outline.text.length).toBeLessThanOrEqual(MAX_OUTLINE_CHARACTERS);
  });
});
