import type { WorkspacePath } from './workspace-path.ts';

/** An entry of a folder. Links are shown and never followed. */
export interface Entry {
  /** Relative to the workspace. */
  readonly path: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  readonly modifiedAt: Date;
}

interface Listing {
  readonly entries: readonly Entry[];
  /** Whether the list is incomplete. */
  readonly isCut: boolean;
}

interface ListOptions {
  /** Levels below the folder; 1 is the folder's own entries. */
  readonly maxDepth: number;
  readonly limit: number;
}

interface WriteOptions {
  /** Whether an existing file may be replaced. */
  readonly overwrite: boolean;
  readonly createFolders: boolean;
  /** Whether the content may repeat text from outside: then the path is marked for good. */
  readonly isForeign: boolean;
}

interface EditOptions {
  /** The same each time this edit is repeated. */
  readonly key: string;
  readonly maxBytes: number;
  /** Whether the inserted text may repeat text from outside: then the path is marked for good. */
  readonly isForeign: boolean;
}

interface MoveOptions {
  /** The same each time this move is repeated. */
  readonly key: string;
  /** Whether the file or folder stays where it was too. */
  readonly isCopy: boolean;
  /** Whether a file at the new path may be replaced; a folder never is. */
  readonly overwrite: boolean;
}

/** The folder of a workspace, for a command that works in it. */
export interface LentFolder {
  /** Its path on this machine. */
  readonly path: string;
  /** Its size limit. */
  readonly space: { readonly bytes: number; readonly names: number };
  /** Whether any of its files is, or ever was, text from outside. */
  readonly hasForeign: boolean;
}

interface LendOptions {
  /** Whether the command may repeat text from outside: then all of the workspace is marked for good. */
  readonly isForeign: boolean;
  /** Whether the command may change anything. */
  readonly access: 'read' | 'write';
}

/**
 * The files of one chat. No path leads out of it, links are never followed, and nothing in it can block an operation.
 * Throws `ToolFailure` for impossible operations.
 */
export interface Workspace {
  /** Returns the whole file; throws when it is larger than `maxBytes`. */
  read(path: WorkspacePath, maxBytes: number): Promise<Buffer>;
  /** Returns whether the content is, or ever was, text from outside. */
  isForeign(path: WorkspacePath): Promise<boolean>;
  /** Yields the file's bytes in order, in chunks. */
  readChunks(path: WorkspacePath, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined>;
  /** Writes a whole file, or leaves the old one. A file with the same content already is a success. */
  write(path: WorkspacePath, content: Uint8Array, options: WriteOptions): Promise<{ wasThere: boolean }>;
  /**
   * Replaces a file by the result of `change`, once for each key, however often it is repeated. Returns whether it had
   * been done before.
   */
  edit(
    path: WorkspacePath,
    options: EditOptions,
    change: (content: Buffer) => Promise<Buffer>,
  ): Promise<{ wasDone: boolean }>;
  /** Returns the entries of a folder, by name. */
  list(path: WorkspacePath, options: ListOptions, signal: AbortSignal): Promise<Listing>;
  /**
   * Runs a command that is confined to the folder, and measures it afterwards. Text from outside may be anywhere in it
   * then.
   */
  lend<T>(options: LendOptions, work: (folder: LentFolder) => Promise<T>): Promise<T>;
  /**
   * Moves or copies a file or folder, once for each key, however often it is repeated; missing folders on the way are
   * made. A copy has no links in it. Marks go along.
   */
  move(from: WorkspacePath, to: WorkspacePath, options: MoveOptions, signal: AbortSignal): Promise<void>;
  /** Removes a file or folder; returns false when there was nothing. */
  remove(path: WorkspacePath, options: { recursive: boolean }, signal: AbortSignal): Promise<boolean>;
}
