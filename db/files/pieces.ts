import type { TenantDatabase } from '../core/index.ts';

/** The bytes of every piece of a file but its last. */
export const PIECE_BYTES = 256 * 1024;

/** A piece of a file. */
interface PieceRef {
  readonly orgId: string;
  readonly fileId: string;
  /** From 0. */
  readonly seq: number;
}

/** Stores a piece of a file whose upload has begun. */
export async function storePiece(
  { tenant }: TenantDatabase,
  { orgId, fileId, seq }: PieceRef,
  content: Buffer,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-file-piece',
    text: 'insert into chat_file_pieces (file_id, seq, org_id, content) values ($1, $2, $3, $4)',
    values: [fileId, seq, orgId, content],
  });
}

/** Returns a piece of a file; `undefined` past its end, and when the file is gone. */
export async function readPiece(
  { tenant }: TenantDatabase,
  { orgId, fileId, seq }: PieceRef,
): Promise<Buffer | undefined> {
  const [piece] = await tenant.query<{ content: Buffer }>(orgId, {
    name: 'read-file-piece',
    text: 'select content from chat_file_pieces where file_id = $1 and seq = $2',
    values: [fileId, seq],
  });
  return piece?.content;
}
