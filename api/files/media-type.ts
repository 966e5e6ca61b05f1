import { extname } from 'node:path';
import { fileTypeFromBuffer } from 'file-type/core';
import { isTextIn, type MarkedEncoding, markedEncoding } from '../../domain/core/texts/decode-text.ts';

/** The bytes at the beginning of a file that its type is told by. */
export const SAMPLE_BYTES = 64 * 1024;
/** What the library is given of them: it also looks into archives, and this bounds what it unpacks. */
const SIGNATURE_BYTES = 4_100;

const BINARY = 'application/octet-stream';
const ARCHIVE = 'application/zip';
const XML = 'application/xml';

/** Kinds of text, which nothing but the ending of a name tells apart. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['.md', 'text/markdown'],
  ['.markdown', 'text/markdown'],
  ['.csv', 'text/csv'],
  ['.tsv', 'text/tab-separated-values'],
  ['.json', 'application/json'],
  ['.html', 'text/html'],
  ['.htm', 'text/html'],
  ['.xml', XML],
  ['.svg', 'image/svg+xml'],
]);

/** Formats that are written as text and are not read as one: their signature counts all the same. */
const WRITTEN: ReadonlySet<string> = new Set([
  'application/eps',
  'application/pdf',
  'application/pgp-encrypted',
  'application/postscript',
  'application/rtf',
  'text/calendar',
  'text/vcard',
  'text/vtt',
]);

/** Kinds of archives, where their beginning does not tell. */
const ARCHIVES: ReadonlyMap<string, string> = new Map([
  ['.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
]);

/**
 * Returns the type of a file by its content. The ending of its name decides only between kinds of text, and between
 * kinds of archives: it never makes a text of a program, or a document of a picture.
 */
export async function mediaTypeOf(sample: Buffer, name: string): Promise<string> {
  const ending = extname(name).toLowerCase();
  const encoding = markedEncoding(sample);
  // The library takes the mark of UTF-16 for sound, and what follows that of UTF-8 for other things.
  if (encoding !== undefined && isMarkedText(sample, encoding)) return TEXTS.get(ending) ?? 'text/plain';
  const found = (await fileTypeFromBuffer(sample.subarray(0, SIGNATURE_BYTES)))?.mime;
  if (found === ARCHIVE) return ARCHIVES.get(ending) ?? ARCHIVE;
  if (isTextWith(found, sample)) return TEXTS.get(ending) ?? (found === XML ? XML : 'text/plain');
  return found === undefined || found === XML ? BINARY : found;
}

// Many signatures are a few letters, with which a text may begin: BMW, MZ, ID3, solid.
function isTextWith(signature: string | undefined, sample: Buffer): boolean {
  if (signature === undefined || signature === XML) return isText(sample);
  return !WRITTEN.has(signature) && isText(sample) && isTextIn('utf-8', sample, { isSample: true });
}

// The sample may end within a character, which the stream leaves out. A text may hold a few that are broken.
function isMarkedText(sample: Buffer, encoding: MarkedEncoding): boolean {
  const text = new TextDecoder(encoding).decode(sample, { stream: true });
  const broken = text.split('\uFFFD').length - 1;
  return broken <= Math.max(1, text.length / 100) && isText(Buffer.from(text));
}

// A text has no zero bytes and few controls.
function isText(sample: Buffer): boolean {
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return false;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b) controls += 1;
  }
  return controls * 100 <= sample.length;
}
