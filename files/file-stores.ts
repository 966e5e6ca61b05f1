import type { TenantDatabase } from '../db/core/index.ts';
import { readPiece, storePiece } from '../db/files/index.ts';
import { readContentPiece, storeContentPiece } from '../db/workspaces/index.ts';
import type { FilesLocation } from '../domain/files/index.ts';
import type { FileStore } from './file-store.ts';
import { PostgresStore } from './postgres-store.ts';
import { S3Store } from './s3-store.ts';

/** The places where files are kept: new ones go to `current`, and older ones stay where they were put. */
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

/** The places of uploaded files, and those of the contents of workspaces. */
export class FileStores extends Stores {
  /** They have tables of their own in PostgreSQL; elsewhere they lie beside the others. */
  readonly ofWorkspaces: Pick<Stores, 'current' | 'of'>;

  private constructor(database: TenantDatabase, external: FileStore | undefined) {
    super(new PostgresStore(database, { store: storePiece, read: readPiece }), external);
    this.ofWorkspaces = new Stores(
      new PostgresStore(database, { store: storeContentPiece, read: readContentPiece }),
      external,
    );
  }

  /** Opens the stores: PostgreSQL, and for new files the location, if there is one. */
  static async open(database: TenantDatabase, location: FilesLocation | undefined): Promise<FileStores> {
    return new FileStores(database, location === undefined ? undefined : await S3Store.open(location));
  }
}
