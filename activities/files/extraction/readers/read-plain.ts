import { decodeText, markedEncoding } from '../../../../domain/core/texts/decode-text.ts';

/** Reads a file that is text itself; `isSame` says whether it is so in UTF-8, as everybody reads it. */
export function readPlain(bytes: Buffer): { readonly text: string; readonly isSame: boolean } {
  const isSame = (markedEncoding(bytes) ?? 'utf-8') === 'utf-8';
  try {
    return { text: decodeText(bytes, 'utf-8', { fatal: true }), isSame };
  } catch {
    // What else is common among files that do not say what they are.
    return { text: decodeText(bytes, 'windows-1252'), isSame: false };
  }
}
