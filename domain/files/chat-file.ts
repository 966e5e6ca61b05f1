/** How far the service is with a file's text: `ready` also for files that have none to read, such as images. */
export const FILE_STATUSES = ['pending', 'ready', 'failed'] as const;

/** How far the service is with a file's text. */
export type FileStatus = (typeof FILE_STATUSES)[number];

/** The formats of images that models take. */
const SHOWN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Returns whether a file of this type is an image that models take. */
export function isShownImage(mediaType: string): boolean {
  return SHOWN_IMAGES.has(mediaType);
}

/** Returns whether a file of this type is an image: it has no text. */
export function isImage(mediaType: string): boolean {
  return mediaType.startsWith('image/') && mediaType !== 'image/svg+xml';
}
