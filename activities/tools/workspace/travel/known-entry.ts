import type { Stats } from 'node:fs';
import type { SnapshotEntry } from '../../../../db/workspaces/index.ts';

/** An entry of a snapshot as it lies in the local copy. */
export interface KnownEntry extends SnapshotEntry {
  /** Tells whether a file has been changed since; undefined when that cannot be told. */
  readonly stamp?: string | undefined;
}

/** The entries of a local copy, by their keys. */
export type Known = Map<string, KnownEntry>;

/** How exact the times of a file system are, in milliseconds. */
const TICK_MS = 20;

/** Returns the key of an entry. */
export function keyOf({ part, path }: Pick<SnapshotEntry, 'part' | 'path'>): string {
  return `${part}:${path}`;
}

/**
 * Returns what tells this state of a file from later ones. Commands cannot set the time of a change. A file that was
 * changed just now may be changed once more at the same time: it has none.
 */
export function stampOf({ ino, ctimeMs, size }: Stats): string | undefined {
  return ctimeMs < Date.now() - TICK_MS ? `${ino}:${ctimeMs}:${size}` : undefined;
}

/** Returns the bytes of an entry's path, and of its target if it is a link. */
export function textBytesOf({ path, target }: SnapshotEntry): number {
  return Buffer.byteLength(path) + Buffer.byteLength(target ?? '');
}

/** Returns whether two entries of a path are the same. */
export function isSame(one: SnapshotEntry | undefined, other: SnapshotEntry): boolean {
  return (
    one?.type === other.type &&
    one.mode === other.mode &&
    one.target === other.target &&
    one.content?.digest === other.content?.digest &&
    (one.type === 'folder' || one.modifiedAt.getTime() === other.modifiedAt.getTime())
  );
}
