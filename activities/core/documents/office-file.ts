/** The kinds of Office files that are read, and the part that each of them has. */
const KINDS = {
  document: { part: 'word/', name: 'a Word document (.docx)' },
  workbook: { part: 'xl/', name: 'a workbook (.xlsx)' },
  presentation: { part: 'ppt/', name: 'a presentation (.pptx)' },
} as const;

const ARCHIVE = Buffer.from('PK');

/** The first bytes of files of old Office programs, and of those that are locked by a password. */
const OLD_OFFICE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const LOCKED = Buffer.from('EncryptedPackage', 'utf16le');
const PDF = Buffer.from('%PDF-');

/** How many bytes at the end of an archive are searched for the names of its parts. */
const DIRECTORY_BYTES = 65_536;

/** Rejects bytes that are no Office file of this kind, whatever their name says, or unpack to very much. */
export function requireOfficeFile(bytes: Buffer, kind: 'document' | 'workbook'): void {
  if (!startsWith(bytes, ARCHIVE)) throw new Unreadable(`The file is ${otherFormat(bytes)}, not ${KINDS[kind].name}`);
  requireSmallArchive(bytes);
  const directory = bytes.subarray(-DIRECTORY_BYTES);
  const other = Object.values(KINDS).find(({ part }) => directory.includes(part));
  if (other !== undefined && other !== KINDS[kind])
    throw new Unreadable(`The file is ${other.name}, not ${KINDS[kind].name}`);
}

function otherFormat(bytes: Buffer): string {
  if (startsWith(bytes, PDF)) return 'a PDF';
  if (!startsWith(bytes, OLD_OFFICE)) return 'of another format';
  return bytes.includes(LOCKED) ? 'protected by a password' : 'an Office file of the old format (.doc, .xls)';
}

function startsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.subarray(0, head.length).equals(head);
}

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
function requireSmallArchive(bytes: Buffer): void {
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

/** A document that cannot be read; the message says why, for a person or a model. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
