import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import yazl from 'yazl';
import type { ArchiveEntry, ArchiveJob, PackedFile } from '../job.ts';
import { type OpenArchive, refusing, tooLarge, tooMany } from './archive.ts';
import { openTar } from './open-tar.ts';
import { openZip } from './open-zip.ts';

/** The earliest time that a ZIP archive knows. */
const FIRST_TIME = Date.UTC(1980, 0, 1);

type Listing = Extract<ArchiveJob, { kind: 'list_archive' }>;
type Unpacking = Extract<ArchiveJob, { kind: 'unpack' }>;
type Packing = Extract<ArchiveJob, { kind: 'pack' }>;

/** Lists an archive. */
export async function listArchive({ content }: Listing): Promise<readonly ArchiveEntry[]> {
  return (await openArchive(Buffer.from(content, 'base64'))).entries;
}

/** Returns the contents of entries in base64, in the order of their places. */
export async function unpack({ content, places }: Unpacking): Promise<string[]> {
  const archive = await openArchive(Buffer.from(content, 'base64'));
  const contents = await archive.read(places);
  return places.map((place) => Buffer.from(contents.get(place) ?? []).toString('base64'));
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
/** What an archive may unpack to: as much as its size makes likely, and never more than the last one. */
const MAX_RATIO = 100;
const ALWAYS_ALLOWED_BYTES = 10_000_000;
const MAX_UNPACKED_BYTES = 100_000_000;

/** Opens a ZIP or tar archive, by what its bytes say it is. Throws for any other, and for one that holds too much. */
async function openArchive(bytes: Buffer): Promise<OpenArchive> {
  const likely = Math.max(ALWAYS_ALLOWED_BYTES, bytes.length * MAX_RATIO);
  const bounds = { entries: MAX_ENTRIES, bytes: Math.min(likely, MAX_UNPACKED_BYTES) };
  const open = bytes.subarray(0, 2).toString('latin1') === 'PK' ? openZip : openTar;
  const { entries, read } = await refusing(async () => open(bytes, bounds));
  if (entries.length > bounds.entries) throw tooMany(bounds);
  if (entries.reduce((sum, { size }) => sum + size, 0) > bounds.bytes) throw tooLarge(bounds);
  return { entries, read: async (places) => refusing(async () => read(places)) };
}
