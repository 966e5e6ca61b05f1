import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folders of production code, and of the harnesses that measure and test it. */
const CODE = [
  'api',
  'files',
  'activities',
  'workflows',
  'worker',
  'db',
  'domain',
  'definition-files',
  'builtin',
  'scripts',
  'bench',
  'chaos',
  'console',
];

const MAX_FILES = 12;

/** Packages, and what was built. */
const NOT_OURS: ReadonlySet<string> = new Set(['node_modules', 'dist']);

const isSource = (name: string) => /\.(tsx?|mjs)$/.test(name) && !/\.test\.tsx?$/.test(name);

/** Returns the folders below one, itself included, with the number of their own source files. */
function countFiles(folder: string): [folder: string, files: number][] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile() && isSource(entry.name)).length;
  const below = entries.filter((entry) => entry.isDirectory() && !NOT_OURS.has(entry.name));
  return [[folder, own], ...below.flatMap(({ name }) => countFiles(`${folder}/${name}`))];
}

test(`each folder holds at most ${MAX_FILES} files`, () => {
  const drawers = CODE.flatMap(countFiles).filter(([, files]) => files > MAX_FILES);
  expect(drawers).toEqual([]);
});
