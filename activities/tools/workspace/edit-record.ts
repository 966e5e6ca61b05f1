import { createHash } from 'node:crypto';
import { opendir, readFile, lstat, unlink } from 'node:fs/promises';
import { errnoOf, type Folder } from './descriptors/folder.ts';
import { replaceFile } from './descriptors/replace-file.ts';

const MAX_RECORDS = 1_000;
const KEPT_MS = 7 * 24 * 3_600_000;
const RECORD = /^(?<before>[0-9a-f]{64}) (?<after>[0-9a-f]{64})$/;

/** The hashes of a file before and after an edit. */
export interface EditRecord {
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the record of the edit with this key, if it was begun before. `folder` holds the records of one workspace.
 */
export async function findRecord(folder: Folder, key: string): Promise<EditRecord | undefined> {
  try {
    const groups = RECORD.exec(await readFile(folder.at(recordNameOf(key)), 'utf8'))?.groups;
    return groups === undefined ? undefined : { before: groups['before'] ?? '', after: groups['after'] ?? '' };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Stores that the edit with this key begins. */
export async function storeRecord(folder: Folder, key: string, record: EditRecord): Promise<void> {
  await forgetOld(folder);
  await replaceFile(folder, recordNameOf(key), Buffer.from(`${record.before} ${record.after}`));
}

/** Returns the hash of a content. */
export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns the name of the record of the edit with this key. */
export function recordNameOf(key: string): string {
  return hashOf(Buffer.from(key));
}

async function forgetOld(folder: Folder): Promise<void> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder.self)) names.push(name);
  if (names.length < MAX_RECORDS) return;
  for (const name of names) {
    const { mtimeMs } = await lstat(folder.at(name));
    if (Date.now() - mtimeMs > KEPT_MS) await unlink(folder.at(name)).catch(() => undefined);
  }
}
