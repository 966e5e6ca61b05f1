import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import yazl from 'yazl';
import type { ArchiveEntry, ArchiveJob, PackedFile } from '../job.ts';
import { openArchive } from './open-archive.ts';

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
