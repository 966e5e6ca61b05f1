import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MAX_CHARACTERS = 120;
const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*) /;

/** Returns the comments of a file that are too wide, each by its place. */
function tooWide(file: string): string[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, at) => (line.length > MAX_CHARACTERS && COMMENT.test(line) ? [`${file}:${at + 1}`] : []));
}

test(`no line of a comment has more than ${MAX_CHARACTERS} characters`, () => {
  const files = globSync('**/*.{ts,tsx,mjs}', { cwd: root, exclude: ['node_modules', '.everturn', 'coverage'] });
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.flatMap(tooWide)).toEqual([]);
});
