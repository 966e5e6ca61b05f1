import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { checkout } from '../stack/core/checkout.ts';

/** A TypeScript file of the repository. */
export type Source = { readonly path: string; readonly text: string };

const MAX_BYTES = 1024 ** 3;

/** Reads the TypeScript files as they lie in the working tree. */
export function readWorkingTree(): Source[] {
  const paths = git(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate', '*.ts']);
  const deleted = new Set(splitNames(git(['ls-files', '-z', '--deleted', '*.ts'])));
  return splitNames(paths)
    .filter((path) => !deleted.has(path))
    .map((path) => ({ path, text: readFileSync(join(checkout, path), 'utf8') }));
}

/** Reads the TypeScript files of a commit. Throws when the repository does not have it. */
export function readCommit(commit: string): Source[] {
  const paths = splitNames(git(['ls-tree', '-r', '-z', '--name-only', commit])).filter((path) => path.endsWith('.ts'));
  const batch = git(['cat-file', '--batch'], paths.map((path) => `${commit}:${path}\n`).join(''));
  let at = 0;
  return paths.map((path) => {
    // Each file comes as `<id> blob <bytes>`, a line feed, its bytes, a line feed.
    const start = batch.indexOf('\n', at) + 1;
    const end = start + Number(batch.subarray(at, start).toString().trim().split(' ')[2]);
    at = end + 1;
    return { path, text: batch.subarray(start, end).toString() };
  });
}

function git(args: readonly string[], input = ''): Buffer {
  return execFileSync('git', args, { cwd: checkout, input, maxBuffer: MAX_BYTES });
}

function splitNames(output: Buffer): string[] {
  return output.toString().split('\0').filter(Boolean);
}
