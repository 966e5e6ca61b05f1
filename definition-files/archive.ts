import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import yauzl from 'yauzl';
import yazl from 'yazl';
import { decodeText, zipEntryPath } from '../domain/core/decode-text.ts';
import type { DefinitionFiles } from '../domain/definitions/definition.ts';
import { MAX_DEFINITION_BYTES, MAX_FILE_BYTES, MAX_FILES, pathIssue } from '../domain/definitions/files.ts';
import { DefinitionFault, faultOf } from './definition-fault.ts';

/**
 * Files of an archive: those of a definition, one that says what its record does, folders, and what macOS adds to each.
 */
const MAX_ENTRIES = 4 * (MAX_FILES + 1);
const MAX_UNPACKED_BYTES = MAX_DEFINITION_BYTES + MAX_FILE_BYTES;

/** Bytes of an archive: those of the largest definition, and what an archive says of each file. */
export const MAX_ARCHIVE_BYTES = MAX_UNPACKED_BYTES + 256 * 1024;

/** The content of an archive: one folder of files, or files without a folder. */
interface ReadArchive {
  readonly folder: string | undefined;
  readonly files: DefinitionFiles;
}

/**
 * Reads a ZIP archive of definition files; throws a `DefinitionFault` for anything but plain text files. The archive
 * says first how large each file is: one that is larger than it says, or than a definition may be, is not unpacked.
 */
export async function readArchive(bytes: Buffer): Promise<ReadArchive> {
  try {
    return inFolder(await readEntries(bytes));
  } catch (error) {
    if (error instanceof DefinitionFault) throw error;
    // Everything else is what the library finds wrong with the archive.
    throw faultOf('', `is not a usable ZIP archive: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function readEntries(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await yauzl.fromBufferPromise(bytes, {
    lazyEntries: true,
    validateEntrySizes: true,
    strictFileNames: true,
  });
  if (zip.entryCount > MAX_ENTRIES) throw faultOf('', `must not have more than ${MAX_FILES} files`);
  const files = new Map<string, string>();
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    const path = zipEntryPath(entry);
    if ((path.endsWith('/') && entry.uncompressedSize === 0) || isOfFileManager(path)) continue;
    checkEntry(path, entry);
    if (files.has(path)) throw faultOf(path, 'is twice in the archive');
    total += entry.uncompressedSize;
    if (total > MAX_UNPACKED_BYTES)
      throw faultOf('', `must not exceed ${MAX_DEFINITION_BYTES / 1024 ** 2} MB unpacked`);
    files.set(path, textOf(path, await buffer(await zip.openReadStreamPromise(entry))));
  }
  if (files.size === 0) throw faultOf('', 'contains no files');
  return files;
}

// macOS keeps there how it shows a folder, and what its files have beside their content.
function isOfFileManager(path: string): boolean {
  return path.startsWith('__MACOSX/') || path.split('/').at(-1) === '.DS_Store';
}

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;

function checkEntry(fileName: string, entry: yauzl.Entry): void {
  const { uncompressedSize, externalFileAttributes, versionMadeBy } = entry;
  const issue = pathIssue(fileName);
  if (issue !== undefined) throw faultOf(fileName, issue);
  // Only archives made on Unix say what kind of file it is.
  const type = versionMadeBy >> 8 === 3 ? (externalFileAttributes >>> 16) & FILE_TYPE : 0;
  if (type !== 0 && type !== REGULAR) throw faultOf(fileName, 'is a link or another special file');
  if (entry.isEncrypted()) throw faultOf(fileName, 'is encrypted');
  if (!entry.canDecodeFileData()) throw faultOf(fileName, 'is compressed in an unknown way');
  if (uncompressedSize > MAX_FILE_BYTES) throw faultOf(fileName, `must not exceed ${MAX_FILE_BYTES / 1024} KB`);
}

function textOf(path: string, bytes: Buffer): string {
  try {
    return decodeText(bytes, 'utf-8', { fatal: true });
  } catch {
    throw faultOf(path, 'is not text in UTF-8');
  }
}

// Archives have the files of a definition at their top, or in one folder.
function inFolder(files: ReadonlyMap<string, string>): ReadArchive {
  const tops = new Set([...files.keys()].map((path) => path.split('/', 1)[0] ?? ''));
  const [folder] = tops;
  if (tops.size !== 1 || folder === undefined || files.has(folder)) return { folder: undefined, files };
  return { folder, files: new Map([...files].map(([path, text]) => [path.slice(folder.length + 1), text])) };
}

// The fields of a date are those of the local clock, as in an archive.
const TIME = new Date(1980, 0, 1);
const MODE = 0o100644;

/**
 * Writes files as a ZIP archive with one folder. The same files give the same bytes, on every machine: they are stored
 * uncompressed, because the output of a compressor depends on its version.
 */
export function writeArchive(folder: string, files: DefinitionFiles): Readable {
  const zip = new yazl.ZipFile();
  for (const [path, text] of files) {
    zip.addBuffer(Buffer.from(text), `${folder}/${path}`, {
      mtime: TIME,
      mode: MODE,
      compress: false,
      forceDosTimestamp: true,
    });
  }
  zip.end();
  return zip.outputStream as Readable;
}

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
