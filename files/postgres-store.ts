import type { TenantDatabase } from '../db/core/index.ts';
import { PIECE_BYTES } from '../db/files/index.ts';
import { type ByteRange, FileGone, type FileRef, type FileStore, packPieces } from './file-store.ts';

/** A piece of a file, counted from 0. */
type Piece = FileRef & { readonly seq: number };

/** A table of the pieces of files. */
export interface Pieces {
  readonly store: (database: TenantDatabase, piece: Piece, content: Buffer) => Promise<void>;
  readonly read: (database: TenantDatabase, piece: Piece) => Promise<Buffer | undefined>;
}

/**
 * Keeps files in PostgreSQL, in pieces: nothing has to be set up, they are in every backup, and they go with their
 * record in one transaction.
 */
export class PostgresStore implements FileStore {
  readonly name = 'postgres';
  readonly #database: TenantDatabase;
  readonly #pieces: Pieces;

  constructor(database: TenantDatabase, pieces: Pieces) {
    this.#database = database;
    this.#pieces = pieces;
  }

  async write(file: FileRef, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    let seq = 0;
    for await (const piece of packPieces(bytes, PIECE_BYTES)) {
      await this.#pieces.store(this.#database, { ...file, seq }, piece);
      seq += 1;
    }
  }

  async *read(file: FileRef, { start, end }: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const [first, last] = [Math.floor(start / PIECE_BYTES), Math.floor(end / PIECE_BYTES)];
    for (let seq = first; seq <= last; seq += 1) {
      const piece = await this.#pieces.read(this.#database, { ...file, seq });
      if (piece === undefined) throw new FileGone();
      const from = seq === first ? start - first * PIECE_BYTES : 0;
      yield piece.subarray(from, seq === last ? end - last * PIECE_BYTES + 1 : piece.length);
    }
  }

  // They go with the record.
  async remove(): Promise<void> {
    return Promise.resolve();
  }
}
