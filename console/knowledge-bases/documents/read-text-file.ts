/** How many characters a document may have. */
export const MAX_CHARACTERS = 500_000;

/** The most bytes that UTF-8 needs for that many. */
const MAX_BYTES = MAX_CHARACTERS * 3;

/** What became of reading a file: its text, or why it has none that can be added. */
export type ReadFile = { readonly text: string } | { readonly refused: 'notText' | 'tooLarge' };

/** Reads a file as UTF-8. One that is something else, such as a PDF, is refused, and so is one that is too large. */
export async function readTextFile(file: Blob): Promise<ReadFile> {
  if (file.size > MAX_BYTES) return { refused: 'tooLarge' };
  const text = decode(await file.arrayBuffer());
  if (text === undefined || text.includes('\0')) return { refused: 'notText' };
  return text.length > MAX_CHARACTERS ? { refused: 'tooLarge' } : { text };
}

function decode(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
