import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { builtConsole } from '../support/console/built-console.ts';

/** What may be loaded before anything is shown, in bytes as they are sent with gzip. */
const MAX_BYTES = { js: 150_000, css: 30_000 };

let folder: string;
beforeAll(async () => {
  folder = await builtConsole();
});

test.each(['js', 'css'] as const)('the first page of the console loads no more %s than it may', (ending) => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const paths = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
  const files = paths.filter((path) => path.endsWith(`.${ending}`)).map((path) => join(folder, path));
  const sizes = files.map((file) => statSync(`${file}.gz`, { throwIfNoEntry: false })?.size ?? statSync(file).size);
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES[ending]);
});
