import type { Database } from '../../db/core/index.ts';
import { findTextState, readTextPiece } from '../../db/files/index.ts';
import { retryWhileDatabaseUnavailable } from '../core/retry-while-database-unavailable.ts';

/** A document that holds no text that could be read; the message says why, for a person. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

/** The text of a file is still being extracted. */
export class NoTextYet extends Error {
  override readonly name = 'NoTextYet';
}

/** Returns the text of an uploaded file; throws `DocumentFault` when it has none, `NoTextYet` while it has none. */
export async function textOfFile(
  database: Database,
  file: { readonly orgId: string; readonly fileId: string },
  signal: AbortSignal,
): Promise<string> {
  const retry = async <T>(work: () => Promise<T>) => retryWhileDatabaseUnavailable(signal, work);
  const state = await retry(async () => findTextState(database, file));
  if (state === undefined) throw new DocumentFault('The file was deleted before it was read');
  if (state.status === 'pending') throw new NoTextYet();
  if (state.textCharacters === null) throw new DocumentFault(state.error ?? 'The file has no text');
  const pieces: string[] = [];
  for (let seq = 0; ; seq += 1) {
    const piece = await retry(async () => readTextPiece(database, file, seq));
    if (piece === undefined) return pieces.join('');
    pieces.push(piece);
  }
}
