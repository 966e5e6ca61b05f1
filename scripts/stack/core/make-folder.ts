import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

import { errorCode } from './error-code.ts';

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
