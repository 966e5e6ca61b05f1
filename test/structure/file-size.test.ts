import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folders of the product. */
const CODE = 'activities api builtin console db definition-files domain files scripts worker workflows'.split(' ');

/** Files that are shorter are merged with what is read with them. */
const MEDIAN_LINES = 80;

const isSource = (path: string) => /\.(?:tsx?|mjs)$/.test(path) && !/\.test\.tsx?$/.test(path);
const isBuilt = (path: string) => path.split('/').some((name) => name === 'node_modules' || name === 'dist');

test(`half of the source files have ${MEDIAN_LINES} lines or more`, () => {
  const sizes = CODE.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
    .filter((path) => isSource(path) && !isBuilt(path))
    .map((path) => readFileSync(join(root, path), 'utf8').split('\n').length - 1)
    .toSorted((one, other) => one - other);
  expect(sizes[Math.floor(sizes.length / 2)]).toBeGreaterThanOrEqual(MEDIAN_LINES);
});
