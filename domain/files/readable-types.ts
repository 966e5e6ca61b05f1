const APART: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/html',
]);
const PLAIN: ReadonlySet<string> = new Set(['application/json', 'application/xml', 'image/svg+xml']);

/** Returns whether files of this type are text themselves, not only hold some. */
export function isPlainText(mediaType: string): boolean {
  return isReadable(mediaType) && !APART.has(mediaType);
}

/** Returns whether the text of files of this type can be extracted. */
export function isReadable(mediaType: string): boolean {
  return mediaType.startsWith('text/') || APART.has(mediaType) || PLAIN.has(mediaType);
}
