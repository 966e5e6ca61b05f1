import type { WorkspacePath } from './workspace-path.ts';

/** What stands in a folder. Links are shown and never followed. */
export interface Entry {
  /** Relative to the workspace. */
  readonly path: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  readonly modifiedAt: Date;
}

interface Listing {
  readonly entries: readonly Entry[];
  /** Whether there is more than is listed. */
  readonly isCut: boolean;
}

interface ListOptions {
  /** Levels below the folder; 1 is the folder's own entries. */
  readonly maxDepth: number;
  readonly limit: number;
}

interface WriteOptions {
  /** Whether a file that is there may be replaced. */
  readonly overwrite: boolean;
  readonly createFolders: boolean;
  /** Whether the content may repeat text from outside: then the path is marked for good. */
  readonly isForeign: boolean;
}

interface EditOptions {
  /** The same each time this edit is repeated. */
  readonly key: string;
  readonly maxBytes: number;
  /** Whether what is put in may repeat text from outside: then the path is marked for good. */
  readonly isForeign: boolean;
}

/**
 * The files of one chat. No path leads out of it, links are never followed, and nothing in it can make an operation
 * wait. Throws `ToolFailure` in words for what cannot be done.
 */
export interface Workspace {
  /** The whole file; one larger than `maxBytes` is refused. */
  read(path: WorkspacePath, maxBytes: number): Promise<Buffer>;
  /** Whether what stands there is, or was at some time, text from outside. */
  isForeign(path: WorkspacePath): Promise<boolean>;
  /** The file's bytes in order, in pieces; for as long as the caller wants more. */
  readPieces(path: WorkspacePath, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined>;
  /** Puts a whole file in place, or leaves what was there. A file that holds the same already is a success. */
  write(path: WorkspacePath, content: Uint8Array, options: WriteOptions): Promise<{ wasThere: boolean }>;
  /**
   * Replaces a file by what `change` makes of it; once for each key, however often it is repeated. Answers whether it
   * had been done before.
   */
  edit(
    path: WorkspacePath,
    options: EditOptions,
    change: (content: Buffer) => Promise<Buffer>,
  ): Promise<{ wasDone: boolean }>;
  /** What a folder holds, by name. */
  list(path: WorkspacePath, options: ListOptions, signal: AbortSignal): Promise<Listing>;
  /** Takes a file or folder away; false when nothing was there. */
  remove(path: WorkspacePath, options: { recursive: boolean }, signal: AbortSignal): Promise<boolean>;
}
