import { gunzipSync } from 'node:zlib';
import { type TarHeader, unpackTar } from 'modern-tar';
import type { ArchiveEntry } from '../job.ts';
import { type ArchiveBounds, type OpenArchive, RefusedArchive, tooLarge, tooMany } from './archive.ts';

const GZIP = '1f8b';
const BLOCK_BYTES = 512;
/** Where a tar archive says that it is one. */
const MAGIC = { at: 257, text: 'ustar' };

const TYPES: Readonly<Partial<Record<NonNullable<TarHeader['type']>, ArchiveEntry['type']>>> = {
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
        ? 'The file is compressed by gzip, but holds no tar archive'
        : 'The file is no ZIP, tar or tar.gz archive; others cannot be read',
    );
  const entries: ArchiveEntry[] = [];
  const filter = (header: TarHeader) => {
    if (entries.length === bounds.entries) throw tooMany(bounds);
    entries.push(toEntry(header));
    return false;
  };
  await unpackTar(tar, { strict: true, filter });
  return { entries, read: async (places) => readContents(tar, places) };
}

async function readContents(tar: Buffer, places: readonly number[]): Promise<Map<number, Uint8Array>> {
  const wanted = new Set(places);
  const found: number[] = [];
  let place = -1;
  const filter = () => {
    place += 1;
    if (!wanted.has(place)) return false;
    found.push(place);
    return true;
  };
  const read = await unpackTar(tar, { strict: true, filter });
  return new Map(found.map((each, index) => [each, read[index]?.data ?? new Uint8Array()]));
}

function toEntry({ name: path, size, type = 'file' }: TarHeader): ArchiveEntry {
  return { path, size, type: TYPES[type] ?? 'other', isLocked: false };
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
