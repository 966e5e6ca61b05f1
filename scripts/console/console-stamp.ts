import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from './digest-of.ts';

/** Files that the console is built from. */
const SOURCES = ['console/**/*.{ts,tsx,css,html,mjs,json,js,svg}', 'domain/**/*.ts', 'package-lock.json'];
const STAMP = 'stamp';

/** Returns a digest of all that a build is made from: two builds with the same one are the same. */
export function consoleStamp(): string {
  return digestOf(SOURCES);
}

/** Returns the stamp of the build in a folder; undefined when there is none. */
export function stampOf(folder: string): string | undefined {
  const path = join(folder, STAMP);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

/** Returns the folder with the latest of the builds in these folders; undefined when there is none. */
export function lastBuilt(folders: readonly string[]): string | undefined {
  const built = folders.filter((folder) => stampOf(folder) !== undefined);
  return built.toSorted((a, b) => builtAt(b) - builtAt(a))[0];
}

function builtAt(folder: string): number {
  return statSync(join(folder, STAMP)).mtimeMs;
}

/** The name of the file that contains a build's stamp. */
export const STAMP_FILE = STAMP;
