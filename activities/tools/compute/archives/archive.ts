import type { ArchiveEntry } from '../job.ts';

/** An archive whose entries are known, and whose contents are not unpacked yet. */
export interface OpenArchive {
  readonly entries: readonly ArchiveEntry[];
  /** Returns the contents of entries by their places. */
  readonly read: (places: readonly number[]) => Promise<ReadonlyMap<number, Uint8Array>>;
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
  return new RefusedArchive(`The archive holds more than ${entries} files`);
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
