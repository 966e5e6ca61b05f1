const DOCUMENTS: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/json',
  'application/xml',
  'image/svg+xml',
]);

/** Returns whether the text of files of this type can be extracted. */
export function isReadable(mediaType: string): boolean {
  return mediaType.startsWith('text/') || DOCUMENTS.has(mediaType);
}
