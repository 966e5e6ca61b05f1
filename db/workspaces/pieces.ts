import type { TenantDatabase } from '../core/index.ts';

/** A piece of a content. */
interface PieceRef {
  readonly orgId: string;
  /** The content. */
  readonly fileId: string;
  /** From 0. */
  readonly seq: number;
}

/** Stores a piece of a content that was begun. */
export async function storeContentPiece(
  { tenant }: TenantDatabase,
  { orgId, fileId, seq }: PieceRef,
  bytes: Buffer,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-workspace-piece',
    text: 'insert into workspace_pieces (content_id, seq, org_id, content) values ($1, $2, $3, $4)',
    values: [fileId, seq, orgId, bytes],
  });
}

/** Returns a piece of a content; `undefined` past its end, and when the content is gone. */
export async function readContentPiece(
  { tenant }: TenantDatabase,
  { orgId, fileId, seq }: PieceRef,
): Promise<Buffer | undefined> {
  const [piece] = await tenant.query<{ content: Buffer }>(orgId, {
    name: 'read-workspace-piece',
    text: 'select content from workspace_pieces where content_id = $1 and seq = $2',
    values: [fileId, seq],
  });
  return piece?.content;
}
