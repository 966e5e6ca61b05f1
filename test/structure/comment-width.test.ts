import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MAX_CHARACTERS = 120;
const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*) /;
/** More than the width of what a word or two leave free at the end of a line. */
const MAX_FREE_CHARACTERS = 30;

/** Returns the comments of a file that are too wide, each by its place. */
function tooWide(file: string): string[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, at) => (line.length > MAX_CHARACTERS && COMMENT.test(line) ? [`${file}:${at + 1}`] : []));
}

/** Returns the comments of a file with a line that ends early in the middle of a sentence, each by its place. */
function brokenOff(file: string): string[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    const next = /^\s*(?:\/\/|\*) (?<word>[a-z]\S*)/.exec(lines[at + 1] ?? '')?.groups?.['word'];
    if (next === undefined || !COMMENT.test(line) || /[.:;!?)]$/.test(line)) return [];
    return line.length + 1 + next.length + MAX_FREE_CHARACTERS <= MAX_CHARACTERS ? [`${file}:${at + 1}`] : [];
  });
}

const filesWithComments = () => {
  const files = globSync('**/*.{ts,tsx,mjs}', {
    cwd: root,
    exclude: ['node_modules', '.everturn', 'coverage', 'packages/*/dist', 'packages/sdk/src/openapi.ts'],
  });
  expect(files.length).toBeGreaterThan(1_000);
  return files;
};

test(`no line of a comment has more than ${MAX_CHARACTERS} characters`, () => {
  expect(filesWithComments().flatMap(tooWide)).toEqual([]);
});

test('no line of a comment ends early in the middle of a sentence', () => {
  expect(filesWithComments().flatMap(brokenOff)).toEqual([]);
});
