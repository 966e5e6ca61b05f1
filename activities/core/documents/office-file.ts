import { requireSmallArchive } from './archive-size.ts';
import { Unreadable } from './unreadable.ts';

/** The kinds of Office files that are read, and the part that each of them has. */
const KINDS = {
  document: { part: 'word/', name: 'a Word document (.docx)' },
  workbook: { part: 'xl/', name: 'a workbook (.xlsx)' },
  presentation: { part: 'ppt/', name: 'a presentation (.pptx)' },
} as const;

const ARCHIVE = Buffer.from('PK');
/** The beginning of the files of old Office programs, which also hold those that are locked by a password. */
const OLD_OFFICE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const LOCKED = Buffer.from('EncryptedPackage', 'utf16le');
const PDF = Buffer.from('%PDF-');
/** Where the names of an archive's parts stand, at its end. */
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
