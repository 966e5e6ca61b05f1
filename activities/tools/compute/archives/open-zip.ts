import { buffer } from 'node:stream/consumers';
import yauzl from 'yauzl';
import { zipEntryPath } from '../../../../domain/core/texts/zip-entry-path.ts';
import type { ArchiveEntry } from '../job.ts';
import { type ArchiveBounds, type OpenArchive, tooMany } from './archive.ts';

const FILE_TYPE = 0o170000;
const TYPES: Readonly<Record<number, ArchiveEntry['type']>> = {
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
  const read = async (places: readonly number[]) => {
    const contents = new Map<number, Uint8Array>();
    for (const place of places) {
      const entry = entries[place];
      if (entry !== undefined) contents.set(place, await buffer(await zip.openReadStreamPromise(entry)));
    }
    return contents;
  };
  return { entries: entries.map(toEntry), read };
}

function toEntry(entry: yauzl.Entry): ArchiveEntry {
  const [path, size] = [zipEntryPath(entry), entry.uncompressedSize];
  return { path, size, type: typeOf(entry), isLocked: entry.isEncrypted() || !entry.canDecodeFileData() };
}

function typeOf({ fileName, versionMadeBy, externalFileAttributes }: yauzl.Entry): ArchiveEntry['type'] {
  if (fileName.endsWith('/')) return 'folder';
  // Only archives made on Unix say what kind of file it is.
  const type = versionMadeBy >> 8 === 3 ? (externalFileAttributes >>> 16) & FILE_TYPE : 0;
  return TYPES[type] ?? 'other';
}
