import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../stack/core/files.ts';

/** What is made from sources and not a source itself, and tests, which change nothing of what is made. */
const LEFT_OUT = [/^console\/dist/, /\.test\.tsx?$/];

/** Returns a digest of the files that these patterns find: what is made of two with the same one is the same. */
export function digestOf(patterns: readonly string[]): string {
  const hash = createHash('sha256');
  const paths = globSync(patterns, { cwd: checkout }).filter((path) => !LEFT_OUT.some((each) => each.test(path)));
  for (const path of paths.toSorted())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(checkout, path)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}
