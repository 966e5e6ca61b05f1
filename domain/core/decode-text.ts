/** The encodings that a byte order mark tells of. */
export type MarkedEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Returns the encoding that the byte order mark of a text tells of; undefined without a mark. */
export function markedEncoding([first, second, third, fourth]: Uint8Array): MarkedEncoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // With two zero bytes behind it, it is the mark of UTF-32, which nothing here decodes.
  return first === 0xff && second === 0xfe && (third !== 0 || fourth !== 0) ? 'utf-16le' : undefined;
}

/** Returns whether bytes are a text in an encoding; a sample of one may end within a character. */
export function isTextIn(encoding: string, bytes: Uint8Array, { isSample }: { readonly isSample: boolean }): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isSample });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the text of bytes, without its byte order mark, which goes before whatever else is said of the encoding.
 * Bytes that cannot be decoded become U+FFFD, or throw when that is `fatal`. Throws for an unknown encoding.
 */
export function decodeText(bytes: Uint8Array, encoding = 'utf-8', { fatal = false } = {}): string {
  return new TextDecoder(markedEncoding(bytes) ?? encoding, { fatal }).decode(bytes);
}

/** What a reader of ZIP archives says of the name of an entry. */
interface NamedEntry {
  /** As the reader has decoded it. */
  readonly fileName: string;
  readonly fileNameRaw: Uint8Array;
  readonly generalPurposeBitFlag: number;
  readonly extraFields: readonly { readonly id: number }[];
}

/** The flag that says that a name is in UTF-8. */
const UTF8_FLAG = 0x800;
/** The extra field that holds a name in UTF-8 beside one in another encoding. */
const UNICODE_PATH = 0x7075;

/**
 * Returns the path of an entry. macOS and other archivers write names in UTF-8 without saying so, and hardly any name
 * in another encoding is valid UTF-8, so one that is valid is taken for it. macOS also writes letters and their accents
 * one by one, which nobody else does: they are composed.
 */
export function zipEntryPath(entry: NamedEntry): string {
  return decodePath(entry).normalize('NFC');
}

function decodePath({ fileName, fileNameRaw, generalPurposeBitFlag, extraFields }: NamedEntry): string {
  if ((generalPurposeBitFlag & UTF8_FLAG) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH)) return fileName;
  try {
    // The library makes the same of backslashes, or has refused them.
    return decodeText(fileNameRaw, 'utf-8', { fatal: true }).replaceAll('\\', '/');
  } catch {
    return fileName;
  }
}
