import type { Database } from '../db/core/index.ts';
import type { FilesLocation } from '../domain/files/index.ts';
import type { FileStore } from './file-store.ts';
import { PostgresStore } from './postgres-store.ts';
import { S3Store } from './s3-store.ts';

/** The places where files are kept: new ones go to `current`, and older ones stay where they were put. */
export class FileStores {
  readonly current: FileStore;
  readonly #byName: ReadonlyMap<string, FileStore>;

  private constructor(current: FileStore, others: readonly FileStore[]) {
    this.current = current;
    this.#byName = new Map([current, ...others].map((store) => [store.name, store]));
  }

  /** Opens the stores: PostgreSQL, and for new files the location, if there is one. */
  static async open(database: Pick<Database, 'tenant'>, location: FilesLocation | undefined): Promise<FileStores> {
    const own = new PostgresStore(database);
    return location === undefined ? new FileStores(own, []) : new FileStores(await S3Store.open(location), [own]);
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
