import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeText } from '../domain/core/texts/decode-text.ts';
import { type DefinitionFiles, MAX_FILE_BYTES, MAX_FILES } from '../domain/definitions/index.ts';
import { faultOf } from './definition-fault.ts';

const MAX_DEPTH = 10;

/**
 * Reads the text files in a folder of the operator, those in folders within it too. Names that begin with a dot are
 * left out: that is what versions of files and notes of file systems are called.
 */
export function readFolder(folder: string): DefinitionFiles {
  const files = new Map<string, string>();
  readInto(files, folder, '');
  return files;
}

function readInto(files: Map<string, string>, folder: string, prefix: string): void {
  if (prefix.split('/').length > MAX_DEPTH) throw faultOf(prefix, `nests more than ${MAX_DEPTH} levels deep`);
  for (const name of namesIn(folder)) {
    const path = `${prefix}${name}`;
    const stats = statSync(join(folder, name));
    if (stats.isDirectory()) readInto(files, join(folder, name), `${path}/`);
    else if (!stats.isFile()) throw faultOf(path, 'is no ordinary file');
    else if (stats.size > MAX_FILE_BYTES) throw faultOf(path, `must not exceed ${MAX_FILE_BYTES / 1024} KB`);
    else files.set(path, readText(join(folder, name), path));
    if (files.size > MAX_FILES) throw faultOf('', `must not have more than ${MAX_FILES} files`);
  }
}

function readText(file: string, path: string): string {
  const bytes = readFileSync(file);
  try {
    return decodeText(bytes, 'utf-8', { fatal: true });
  } catch {
    throw faultOf(path, 'is not text in UTF-8');
  }
}

/** Returns the names in a folder, sorted, without hidden ones. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .map(({ name }: Dirent) => name)
    .filter((name) => !name.startsWith('.'))
    .toSorted();
}
