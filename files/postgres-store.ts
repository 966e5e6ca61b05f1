import type { Database } from '../db/core/index.ts';
import { PIECE_BYTES, readPiece, storePiece } from '../db/files/index.ts';
import { type ByteRange, FileGone, type FileRef, type FileStore } from './file-store.ts';
import { packPieces } from './pack-pieces.ts';

/**
 * Keeps files in PostgreSQL, in pieces: nothing has to be set up, they are in every backup, and they go with their
 * record in one transaction.
 */
export class PostgresStore implements FileStore {
  readonly name = 'postgres';
  readonly #database: Pick<Database, 'tenant'>;

  constructor(database: Pick<Database, 'tenant'>) {
    this.#database = database;
  }

  async write(file: FileRef, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    let seq = 0;
    for await (const piece of packPieces(bytes, PIECE_BYTES)) {
      await storePiece(this.#database, { ...file, seq }, piece);
      seq += 1;
    }
  }

  async *read(file: FileRef, { start, end }: ByteRange): AsyncGenerator<Buffer, void, undefined> {
    const [first, last] = [Math.floor(start / PIECE_BYTES), Math.floor(end / PIECE_BYTES)];
    for (let seq = first; seq <= last; seq += 1) {
      const piece = await readPiece(this.#database, { ...file, seq });
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
