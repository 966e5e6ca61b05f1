import { fileURLToPath } from 'node:url';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The folder of the checkout, without a slash at the end. */
export const checkout = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '');

/** Creates a folder and those above it. Node's own recursive form never returns on file systems such as /proc. */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, mode === undefined ? {} : { mode });
  } catch (error) {
    // Two starts at once.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Writes a new file for the owner's eyes: it comes into being whole or not at all, even when the power fails. */
export function writeDurably(file: string, content: string | Buffer): void {
  const unfinished = `${file}.new`;
  const descriptor = openSync(unfinished, 'w', 0o600);
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, file);
}

/**
 * The code of a system or database error, such as ENOENT. Not by `instanceof Error`: a test runner has an Error of its
 * own, which those of Node are no instances of.
 */
export function errorCode(error: unknown): string | number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}
