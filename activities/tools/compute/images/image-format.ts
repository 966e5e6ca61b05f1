import type { ImageFormat } from '../job.ts';

/** Where the first bytes of each format say what it is, in Latin-1. */
const SIGNATURES: readonly (readonly [format: ImageFormat, at: number, text: string])[] = [
  ['png', 0, '\u0089PNG\r\n'],
  ['jpeg', 0, '\u00ff\u00d8\u00ff'],
  ['gif', 0, 'GIF8'],
  ['webp', 8, 'WEBP'],
  ['avif', 4, 'ftypavif'],
];

/** Returns the format of a picture by its first bytes; throws for those that are not processed. */
export function formatOf(bytes: Buffer): ImageFormat {
  const start = bytes.subarray(0, 16).toString('latin1');
  const found = SIGNATURES.find(([, at, text]) => start.startsWith(text, at));
  if (found !== undefined) return found[0];
  const isDrawing = /<svg[\s>]/i.test(bytes.subarray(0, 1_000).toString('latin1'));
  throw new Error(
    isDrawing
      ? 'SVG is a drawing that may refer to other files, and is not processed; give a PNG, JPEG, WebP, AVIF or GIF'
      : 'The file is no PNG, JPEG, WebP, AVIF or GIF picture',
  );
}
