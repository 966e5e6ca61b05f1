import type { Database, TenantDatabase } from '../db/core/database.ts';
import { abandonUpload, beginUpload, finishUpload } from '../db/files/uploads.ts';
import { CHUNK_BYTES, readChunk, storeChunk, type StoredFile } from '../db/files/files.ts';
import { type ByteRange, FileGone, type FileRef, type FileStore, rechunk } from './file-store.ts';
import { readContentChunk, storeContentChunk } from '../db/workspaces/contents.ts';
import type { FilesLocation } from '../domain/files.ts';
import type { Membership } from '../domain/orgs.ts';
import { S3Store } from './s3-store.ts';

/** A chunk of a file, counted from 0. */
type Chunk = FileRef & { readonly seq: number };

/** A table of the chunks of files. */
interface ChunkTable {
  readonly store: (database: TenantDatabase, chunk: Chunk, content: Buffer) => Promise<void>;
  readonly read: (database: TenantDatabase, chunk: Chunk) => Promise<Buffer | undefined>;
}

/**
 * Keeps files in PostgreSQL, in chunks: nothing has to be set up, they are in every backup, and they go with their
 * record in one transaction.
 */
class PostgresStore implements FileStore {
  readonly name = 'postgres';
  readonly #database: TenantDatabase;
  readonly #chunks: ChunkTable;

  constructor(database: TenantDatabase, chunks: ChunkTable) {
    this.#database = database;
    this.#chunks = chunks;
  }

  async write(file: FileRef, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    let seq = 0;
    for await (const chunk of rechunk(bytes, CHUNK_BYTES)) {
      await this.#chunks.store(this.#database, { ...file, seq }, chunk);
      seq += 1;
    }
  }

  async *read(file: FileRef, { start, end }: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const [first, last] = [Math.floor(start / CHUNK_BYTES), Math.floor(end / CHUNK_BYTES)];
    for (let seq = first; seq <= last; seq += 1) {
      const chunk = await this.#chunks.read(this.#database, { ...file, seq });
      if (chunk === undefined) throw new FileGone();
      const from = seq === first ? start - first * CHUNK_BYTES : 0;
      yield chunk.subarray(from, seq === last ? end - last * CHUNK_BYTES + 1 : chunk.length);
    }
  }

  // They go with the record.
  async remove(): Promise<void> {
    return Promise.resolve();
  }
}

/** The stores of files: new ones go to `current`, and older ones stay where they were put. */
class Stores {
  readonly current: FileStore;
  readonly #byName: ReadonlyMap<string, FileStore>;

  constructor(own: FileStore, external: FileStore | undefined) {
    this.current = external ?? own;
    this.#byName = new Map([own, ...(external === undefined ? [] : [external])].map((store) => [store.name, store]));
  }

  /** The names of the stores that this process knows. */
  get names(): string[] {
    return [...this.#byName.keys()];
  }

  /** Returns the store of a file; throws when this process does not know it, because a setting is missing. */
  of({ store }: { readonly store: string }): FileStore {
    const found = this.#byName.get(store);
    if (found === undefined) throw new Error(`files are kept in "${store}", which the settings of this process lack`);
    return found;
  }
}

/** The stores of uploaded files, and those of the contents of workspaces. */
export class FileStores extends Stores {
  /** They have tables of their own in PostgreSQL; elsewhere they lie beside the others. */
  readonly ofWorkspaces: Pick<Stores, 'current' | 'of'>;

  private constructor(database: TenantDatabase, external: FileStore | undefined) {
    super(new PostgresStore(database, { store: storeChunk, read: readChunk }), external);
    this.ofWorkspaces = new Stores(
      new PostgresStore(database, { store: storeContentChunk, read: readContentChunk }),
      external,
    );
  }

  /** Opens the stores: PostgreSQL, and for new files the location, if there is one. */
  static async open(database: TenantDatabase, location: FilesLocation | undefined): Promise<FileStores> {
    return new FileStores(database, location === undefined ? undefined : await S3Store.open(location));
  }
}

interface CopyTarget {
  readonly owner: Membership;
  /** The chat of the owner's that gets the copy. */
  readonly chatId: string;
  /** The bytes that all files of the organization may have. */
  readonly maxBytes: number;
}

/**
 * Copies a file into another chat, chunk by chunk, and returns the copy; its text is extracted again. `undefined` when
 * the file has been deleted in the meantime. When it fails, nothing of the copy stays.
 */
export async function copyFile(
  { database, files }: { readonly database: Database; readonly files: FileStores },
  file: StoredFile,
  { owner, chatId, maxBytes }: CopyTarget,
): Promise<StoredFile | undefined> {
  const { name, mediaType, size } = file;
  const store = files.current;
  const begun = await beginUpload(database, owner, { chatId, name, mediaType, store: store.name });
  try {
    const original = { orgId: owner.orgId, fileId: file.id };
    await store.write(begun, files.of(file).read(original, { start: 0, end: size - 1 }));
    return await finishUpload(database, begun, { size, mediaType, maxBytes });
  } catch (error) {
    await abandonUpload(database, begun).catch(() => undefined);
    if (error instanceof FileGone) return undefined;
    throw error;
  }
}
