import { decodeText } from './decode-text.ts';

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
 * in another encoding is valid UTF-8, so one that is valid is taken for it.
 */
export function zipEntryPath(entry: NamedEntry): string {
  const { fileName, fileNameRaw, generalPurposeBitFlag, extraFields } = entry;
  if ((generalPurposeBitFlag & UTF8_FLAG) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH)) return fileName;
  try {
    // The library makes the same of backslashes, or has refused them.
    return decodeText(fileNameRaw, 'utf-8', { fatal: true }).replaceAll('\\', '/');
  } catch {
    return fileName;
  }
}
