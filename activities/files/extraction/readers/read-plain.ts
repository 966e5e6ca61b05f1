/** Reads a file that is text itself; `isSame` says whether it is so in UTF-8, as everybody reads it. */
export function readPlain(bytes: Buffer): { readonly text: string; readonly isSame: boolean } {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return { text: decode(bytes, 'utf-16le'), isSame: false };
  if (first === 0xfe && second === 0xff) return { text: decode(bytes, 'utf-16be'), isSame: false };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isSame: true };
  } catch {
    // What else is common among files that do not say what they are.
    return { text: decode(bytes, 'windows-1252'), isSame: false };
  }
}

function decode(bytes: Buffer, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes);
}
