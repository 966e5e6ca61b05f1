import { Unreadable } from './unreadable.ts';

const MAX_UNPACKED_BYTES = 200 * 1024 ** 2;
const MAX_ENTRIES = 10_000;
/** The signatures of the records at the end of an archive, and the sizes of their fixed parts. */
const END = 0x06_05_4b_50;
const END_BYTES = 22;
const ENTRY = 0x02_01_4b_50;
const ENTRY_BYTES = 46;
const MAX_COMMENT_BYTES = 65_535;

/**
 * Rejects an archive that says that it unpacks to very much. One that lies about it meets the bounds of the process
 * that unpacks it.
 */
export function requireSmallArchive(bytes: Buffer): void {
  const end = findEnd(bytes);
  if (end === undefined) throw new Unreadable('The file is damaged: it is no complete archive');
  const entries = bytes.readUInt16LE(end + 10);
  if (entries > MAX_ENTRIES) throw new Unreadable(`The file is an archive of more than ${MAX_ENTRIES} files`);
  let unpacked = 0;
  let at = bytes.readUInt32LE(end + 16);
  for (let count = 0; count < entries; count += 1) {
    if (at + ENTRY_BYTES > bytes.length || bytes.readUInt32LE(at) !== ENTRY)
      throw new Unreadable('The file is damaged: its table of contents is broken');
    unpacked += bytes.readUInt32LE(at + 24);
    at += ENTRY_BYTES + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  if (unpacked > MAX_UNPACKED_BYTES)
    throw new Unreadable(`The file unpacks to more than ${MAX_UNPACKED_BYTES / 1024 ** 2} MB`);
}

function findEnd(bytes: Buffer): number | undefined {
  const lowest = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = bytes.length - END_BYTES; at >= lowest; at -= 1) if (bytes.readUInt32LE(at) === END) return at;
  return undefined;
}
