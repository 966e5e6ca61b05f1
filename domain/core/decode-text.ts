/** The encodings that a byte order mark can indicate. */
export type MarkedEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Returns the encoding that the byte order mark of a text indicates; undefined without a mark. */
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
 * Decodes bytes to text, without its byte order mark, which overrides `encoding`. Bytes that cannot be decoded become
 * U+FFFD, or throw when that is `fatal`. Throws for an unknown encoding.
 */
export function decodeText(bytes: Uint8Array, encoding = 'utf-8', { fatal = false } = {}): string {
  return new TextDecoder(markedEncoding(bytes) ?? encoding, { fatal }).decode(bytes);
}

/** The name of a ZIP entry, as a reader of archives gives it. */
interface NamedEntry {
  /** As the reader has decoded it. */
  readonly fileName: string;
  readonly fileNameRaw: Uint8Array;
  readonly generalPurposeBitFlag: number;
  readonly extraFields: readonly { readonly id: number }[];
}

/** The flag that says that a name is in UTF-8. */
const UTF8_FLAG = 0x800;
/** The extra field that contains a name in UTF-8 beside one in another encoding. */
const UNICODE_PATH = 0x7075;

/**
 * Returns the path of an entry. macOS and other archivers write names in UTF-8 without saying so, and hardly any name
 * in another encoding is valid UTF-8, so a valid one is taken for UTF-8. Composes characters, because macOS alone
 * stores letters and their accents separately.
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
