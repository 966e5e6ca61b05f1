import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { packTar, type TarHeader, unpackTar } from 'modern-tar';
import yauzl from 'yauzl';
import yazl from 'yazl';
import { zipEntryPath } from '../../../domain/core/decode-text.ts';
import type { ArchiveEntry, ArchiveJob, PackedFile } from './job.ts';

/** The earliest time that a ZIP archive knows. */
const FIRST_TIME = Date.UTC(1980, 0, 1);

type Listing = Extract<ArchiveJob, { kind: 'list_archive' }>;
type Unpacking = Extract<ArchiveJob, { kind: 'unpack' }>;
type Packing = Extract<ArchiveJob, { kind: 'pack' }>;

/** Lists an archive. */
export async function listArchive({ content }: Listing): Promise<readonly ArchiveEntry[]> {
  return (await openArchive(Buffer.from(content, 'base64'))).entries;
}

/** Returns the contents of entries in base64, in the order of their indexes. */
export async function unpack({ content, indexes }: Unpacking): Promise<string[]> {
  const archive = await openArchive(Buffer.from(content, 'base64'));
  const contents = await archive.read(indexes);
  return indexes.map((index) => Buffer.from(contents.get(index) ?? []).toString('base64'));
}

/** Makes an archive, in base64. The same files give the same bytes. */
export async function pack({ format, files }: Packing): Promise<string> {
  const bytes = format === 'zip' ? await zipOf(files) : await tarOf(files);
  return (format === 'tar.gz' ? gzipSync(bytes) : bytes).toString('base64');
}

async function zipOf(files: readonly PackedFile[]): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const { path, content, modifiedAt } of files)
    zip.addBuffer(Buffer.from(content, 'base64'), path, { mtime: new Date(Math.max(modifiedAt, FIRST_TIME)) });
  zip.end();
  return buffer(zip.outputStream as Readable);
}

async function tarOf(files: readonly PackedFile[]): Promise<Buffer> {
  const entries = files.map(({ path, content, modifiedAt }) => {
    const body = Buffer.from(content, 'base64');
    return { header: { name: path, size: body.length, mtime: new Date(modifiedAt) }, body };
  });
  return Buffer.from(await packTar(entries));
}

const MAX_ENTRIES = 5_000;
/** How far an archive may expand: as much as its size makes likely, and never more than the last one. */
const MAX_RATIO = 100;
const ALWAYS_ALLOWED_BYTES = 10_000_000;
const MAX_UNPACKED_BYTES = 100_000_000;

/** Opens a ZIP or tar archive, recognized by its bytes. Throws for any other, and for one that contains too much. */
async function openArchive(bytes: Buffer): Promise<OpenArchive> {
  const likely = Math.max(ALWAYS_ALLOWED_BYTES, bytes.length * MAX_RATIO);
  const bounds = { entries: MAX_ENTRIES, bytes: Math.min(likely, MAX_UNPACKED_BYTES) };
  const open = bytes.subarray(0, 2).toString('latin1') === 'PK' ? openZip : openTar;
  const { entries, read } = await refusing(async () => open(bytes, bounds));
  if (entries.length > bounds.entries) throw tooMany(bounds);
  if (entries.reduce((sum, { size }) => sum + size, 0) > bounds.bytes) throw tooLarge(bounds);
  return { entries, read: async (indexes) => refusing(async () => read(indexes)) };
}

/** An archive whose entries are known, and whose contents are not unpacked yet. */
export interface OpenArchive {
  readonly entries: readonly ArchiveEntry[];
  /** Returns the contents of entries by their indexes. */
  readonly read: (indexes: readonly number[]) => Promise<ReadonlyMap<number, Uint8Array>>;
}

/** Bounds on what is unpacked. */
export interface ArchiveBounds {
  readonly entries: number;
  readonly bytes: number;
}

/** An archive is not read, for a reason that can be shown. */
export class RefusedArchive extends Error {
  override readonly name = 'RefusedArchive';
}

/** Says that an archive has too many entries. */
export function tooMany({ entries }: ArchiveBounds): RefusedArchive {
  return new RefusedArchive(`The archive contains more than ${entries} files`);
}

/** Says that an archive unpacks to too much. */
export function tooLarge({ bytes }: ArchiveBounds): RefusedArchive {
  return new RefusedArchive(`The archive unpacks to more than ${bytes / 1e6} MB, too much for its size`);
}

/** Runs a reader; what it finds wrong with the archive becomes a `RefusedArchive`. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusedArchive) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new RefusedArchive(`The archive is damaged or not to be trusted: ${reason}`, { cause: error });
  }
}

const GZIP = '1f8b';
const BLOCK_BYTES = 512;
/** Where a tar archive says that it is one. */
const MAGIC = { at: 257, text: 'ustar' };

const TAR_TYPES: Readonly<Partial<Record<NonNullable<TarHeader['type']>, ArchiveEntry['type']>>> = {
  file: 'file',
  directory: 'folder',
  link: 'link',
  symlink: 'link',
};

/** Opens a tar archive, compressed by gzip or not. */
export async function openTar(bytes: Buffer, bounds: ArchiveBounds): Promise<OpenArchive> {
  const isCompressed = bytes.subarray(0, 2).toString('hex') === GZIP;
  const tar = isCompressed ? unzip(bytes, bounds) : bytes;
  if (tar.subarray(MAGIC.at, MAGIC.at + MAGIC.text.length).toString('latin1') !== MAGIC.text)
    throw new RefusedArchive(
      isCompressed
        ? 'The file is compressed by gzip, but contains no tar archive'
        : 'The file is no ZIP, tar or tar.gz archive; others cannot be read',
    );
  const entries: ArchiveEntry[] = [];
  const filter = (header: TarHeader) => {
    if (entries.length === bounds.entries) throw tooMany(bounds);
    entries.push(tarEntry(header));
    return false;
  };
  await unpackTar(tar, { strict: true, filter });
  return { entries, read: async (indexes) => readContents(tar, indexes) };
}

async function readContents(tar: Buffer, indexes: readonly number[]): Promise<Map<number, Uint8Array>> {
  const wanted = new Set(indexes);
  const found: number[] = [];
  let index = -1;
  const filter = () => {
    index += 1;
    if (!wanted.has(index)) return false;
    found.push(index);
    return true;
  };
  const read = await unpackTar(tar, { strict: true, filter });
  return new Map(found.map((each, index) => [each, read[index]?.data ?? new Uint8Array()]));
}

function tarEntry({ name: path, size, type = 'file' }: TarHeader): ArchiveEntry {
  return { path, size, type: TAR_TYPES[type] ?? 'other', isLocked: false };
}

function unzip(bytes: Buffer, bounds: ArchiveBounds): Buffer {
  try {
    // Each entry has a header, and is filled up to whole blocks.
    return gunzipSync(bytes, { maxOutputLength: bounds.bytes + bounds.entries * 2 * BLOCK_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(bounds);
    throw error;
  }
}

const FILE_TYPE = 0o170000;
const ZIP_TYPES: Readonly<Record<number, ArchiveEntry['type']>> = {
  0: 'file',
  0o100000: 'file',
  0o040000: 'folder',
  0o120000: 'link',
};

/** Opens a ZIP archive. A content that is longer than its entry says is not unpacked. */
export async function openZip(bytes: Buffer, bounds: ArchiveBounds): Promise<OpenArchive> {
  const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true, validateEntrySizes: true });
  if (zip.entryCount > bounds.entries) throw tooMany(bounds);
  const entries: yauzl.Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  const read = async (indexes: readonly number[]) => {
    const contents = new Map<number, Uint8Array>();
    for (const index of indexes) {
      const entry = entries[index];
      if (entry !== undefined) contents.set(index, await buffer(await zip.openReadStreamPromise(entry)));
    }
    return contents;
  };
  return { entries: entries.map(zipEntry), read };
}

function zipEntry(entry: yauzl.Entry): ArchiveEntry {
  const [path, size] = [zipEntryPath(entry), entry.uncompressedSize];
  return { path, size, type: typeOf(entry), isLocked: entry.isEncrypted() || !entry.canDecodeFileData() };
}

function typeOf({ fileName, versionMadeBy, externalFileAttributes }: yauzl.Entry): ArchiveEntry['type'] {
  if (fileName.endsWith('/')) return 'folder';
  // Only archives made on Unix say what kind of file it is.
  const type = versionMadeBy >> 8 === 3 ? (externalFileAttributes >>> 16) & FILE_TYPE : 0;
  return ZIP_TYPES[type] ?? 'other';
}
