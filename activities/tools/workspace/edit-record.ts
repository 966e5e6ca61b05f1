import { createHash } from 'node:crypto';
import { lstat, opendir, readFile, unlink } from 'node:fs/promises';
import { errnoOf, type Folder } from './descriptors/folder.ts';
import { replaceFile } from './descriptors/replace-file.ts';
import type { WorkspacePath } from './workspace-path.ts';

const MAX_RECORDS = 1_000;
const KEPT_MS = 7 * 24 * 3_600_000;
const RECORD = /^(?<before>[0-9a-f]{64}) (?<after>[0-9a-f]{64})$/;

/** The hashes of a file before and after an edit. */
export interface EditRecord {
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the record of the edit with this key, if it was begun before. `folder` contains the records of one workspace.
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

/** The number of paths that are remembered singly; with more, the whole workspace counts as marked. */
const MAX_MARKS = 20_000;
/** Marks that are copied one by one: each counts the names of all. */
const MAX_COPIED = 200;
const WHOLE = 'whole';

/** Marks the content at `path` as text from outside, for good. `marks` is the folder of one workspace's marks. */
export async function markPath(marks: Folder, path: WorkspacePath): Promise<void> {
  if (await isMarked(marks, path)) return;
  const name = (await countNames(marks)) < MAX_MARKS ? nameOf(path) : WHOLE;
  await replaceFile(marks, name, new Uint8Array());
}

/** Marks the new paths of files whose old ones are marked; of very many, the whole workspace. */
export async function copyMarks(
  marks: Folder,
  files: readonly { readonly from: WorkspacePath; readonly to: WorkspacePath }[],
): Promise<void> {
  let copied = 0;
  for (const { from, to } of files) {
    if (!(await isMarked(marks, from))) continue;
    copied += 1;
    if (copied > MAX_COPIED) return markWhole(marks);
    await markPath(marks, to);
  }
}

/** Marks all of the workspace, for good. */
export async function markWhole(marks: Folder): Promise<void> {
  if (!(await has(marks, WHOLE))) await replaceFile(marks, WHOLE, new Uint8Array());
}

/** Returns whether anything in the workspace is, or ever was, text from outside. */
export async function hasMarks(marks: Folder): Promise<boolean> {
  for await (const _name of await opendir(marks.self)) return true;
  return false;
}

/** Returns whether the content at `path` is, or may be, text from outside. */
export async function isMarked(marks: Folder, path: WorkspacePath): Promise<boolean> {
  return (await has(marks, WHOLE)) || (await has(marks, nameOf(path)));
}

/** Returns the names of the marks of which one says that the content at `path` is text from outside. */
export function markNamesOf(path: WorkspacePath): readonly string[] {
  return [nameOf(path), WHOLE];
}

// Some file systems ignore case in names.
function nameOf(path: WorkspacePath): string {
  return createHash('sha256').update(path.join('/').normalize('NFC').toLowerCase()).digest('hex');
}

async function has(marks: Folder, name: string): Promise<boolean> {
  try {
    await lstat(marks.at(name));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function countNames(marks: Folder): Promise<number> {
  let count = 0;
  for await (const _name of await opendir(marks.self)) count += 1;
  return count;
}
