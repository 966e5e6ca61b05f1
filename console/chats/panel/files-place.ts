/** What the files tab shows, as the address says it: a file of the chat, or a file or folder of its workspace. */
export interface FilesPlace {
  readonly file?: string;
  readonly path?: string;
  readonly folder?: string;
}

/** Returns the last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
