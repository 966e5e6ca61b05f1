import type { Database, TenantDatabase } from '../core/database.ts';
import type { ChunkRef } from '../files/files.ts';

/** The store of contents whose bytes lie in the row. */
export const ROW_STORE = 'row';

/** A content, which any number of a chat's files may have. */
export interface SnapshotContent {
  readonly id: string;
  /** The SHA-256 of its bytes, in hexadecimal. */
  readonly digest: string;
  readonly bytes: number;
  readonly store: string;
}

/** A content with its bytes, which are few. */
export interface SmallContent {
  readonly id: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

/** Stores contents for the next snapshot; those that it does not use are removed after an hour. */
export async function storeSmallContents(
  { tenant }: TenantDatabase,
  { orgId, chatId }: WorkspaceRef,
  contents: readonly SmallContent[],
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-workspace-contents',
    text: insertContents({ chatId: '$1', orgId: '$2', columns: ['$3', '$4', '$5'] }),
    values: [chatId, orgId, ...columnsOf(contents)],
  });
}

interface Inserted {
  readonly chatId: string;
  readonly orgId: string;
  /** The parameters of `columnsOf`. */
  readonly columns: readonly [ids: string, digests: string, bytes: string];
  /** The row without which none is inserted, where a snapshot has them from the beginning. */
  readonly with?: string;
}

/** Returns the statement that inserts small contents, by the names of its parameters. */
export function insertContents({ chatId, orgId, columns: [ids, digests, bytes], with: row }: Inserted): string {
  return `insert into workspace_contents (id, chat_id, org_id, digest, bytes, store, content, unused_since)
    select given.id, ${chatId}::uuid, ${orgId}::uuid, given.digest, octet_length(given.content), '${ROW_STORE}', given.content,
      ${row === undefined ? 'now()' : 'null'}
    from ${row === undefined ? '' : `${row}, `}unnest(${ids}::uuid[], ${digests}::bytea[], ${bytes}::bytea[]) as given (id, digest, content)
    on conflict (id) do nothing`;
}

/** Returns small contents as the parameters of `insertContents`. */
export function columnsOf(contents: readonly SmallContent[]): [string[], Buffer[], Buffer[]] {
  return [
    contents.map(({ id }) => id),
    contents.map(({ digest }) => Buffer.from(digest, 'hex')),
    contents.map(({ bytes }) => bytes),
  ];
}

/** Begins to store a content elsewhere. Its record is there before its bytes, so that they are removed with it. */
export async function beginContent(
  { tenant }: TenantDatabase,
  { orgId, chatId }: WorkspaceRef,
  { id, store }: Pick<SnapshotContent, 'id' | 'store'>,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'begin-workspace-content',
    text: 'insert into workspace_contents (id, chat_id, org_id, bytes, store) values ($1, $2, $3, 0, $4)',
    values: [id, chatId, orgId, store],
  });
}

/** Records that all bytes of a content are stored. */
export async function endContent(
  { tenant }: TenantDatabase,
  orgId: string,
  { id, digest, bytes }: SnapshotContent,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'end-workspace-content',
    text: 'update workspace_contents set digest = $2, bytes = $3 where id = $1',
    values: [id, Buffer.from(digest, 'hex'), bytes],
  });
}

/** Returns the bytes of small contents by their ids, without those that are gone. */
export async function readSmallContents(
  { tenant }: TenantDatabase,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await tenant.query<{ id: string; content: Buffer }>(orgId, {
    name: 'read-workspace-contents',
    text: 'select id, content from workspace_contents where id = any($1::uuid[]) and content is not null',
    values: [ids],
  });
  return new Map(rows.map(({ id, content }) => [id, content]));
}

/** How many contents one statement removes, each of which may have 100 MB, and how many of them follow each other. */
const BATCH = 100;
const MAX_BATCHES = 300;

/**
 * Removes contents that no snapshot has had for an hour: until then a download, or a worker that restores, may. Busy
 * workspaces leave thousands in a minute, so it repeats until none is left.
 */
export async function purgeUnusedContents({ system }: Pick<Database, 'system'>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const { rowCount } = await system.query(PURGE);
    if ((rowCount ?? 0) < BATCH) return;
  }
}

const PURGE = `delete from workspace_contents where ctid = any(array(
    select ctid from workspace_contents c where c.unused_since < now() - interval '1 hour'
      and not exists (select from workspace_entries e where e.content_id = c.id)
    limit ${BATCH}
  ))`;

/** Stores a chunk of a content that was begun. */
export async function storeContentChunk(
  { tenant }: TenantDatabase,
  { orgId, fileId, seq }: ChunkRef,
  bytes: Buffer,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-workspace-chunk',
    text: 'insert into workspace_chunks (content_id, seq, org_id, content) values ($1, $2, $3, $4)',
    values: [fileId, seq, orgId, bytes],
  });
}

/** Returns a chunk of a content; `undefined` past its end, and when the content is gone. */
export async function readContentChunk(
  { tenant }: TenantDatabase,
  { orgId, fileId, seq }: ChunkRef,
): Promise<Buffer | undefined> {
  const [chunk] = await tenant.query<{ content: Buffer }>(orgId, {
    name: 'read-workspace-chunk',
    text: 'select content from workspace_chunks where content_id = $1 and seq = $2',
    values: [fileId, seq],
  });
  return chunk?.content;
}

/** The chat whose workspace it is: the one at the root, for sub-agents. */
export interface WorkspaceRef {
  readonly orgId: string;
  readonly chatId: string;
}

/** How long a lease lasts unless it is renewed: what the death of its holder costs the next one. */
const LEASE = "interval '10 seconds'";

/** A worker that changes a workspace, and stores its snapshots in the process. */
export interface Lease extends WorkspaceRef {
  /** Different for each lease. */
  readonly holder: string;
}

/** Returns the version of a workspace's snapshot; 0 while there is none. */
export async function findWorkspaceVersion(
  { tenant }: TenantDatabase,
  { orgId, chatId }: WorkspaceRef,
): Promise<number> {
  const [row] = await tenant.query<{ version: number }>(orgId, {
    name: 'workspace-version',
    text: 'select version from workspaces where chat_id = $1',
    values: [chatId],
  });
  return row?.version ?? 0;
}

/**
 * Acquires the lease of a workspace and returns the version of its snapshot; undefined while another worker holds it,
 * and when the chat is gone. Safe to repeat.
 */
export async function takeLease(
  { tenant }: TenantDatabase,
  { orgId, chatId, holder }: Lease,
): Promise<number | undefined> {
  const [row] = await tenant.query<{ version: number }>(orgId, {
    name: 'take-workspace-lease',
    text: `insert into workspaces as w (chat_id, org_id, holder, lease_until)
        select id, org_id, $2, now() + ${LEASE} from chats where id = $1
      on conflict (chat_id) do update set holder = excluded.holder, lease_until = excluded.lease_until
        where w.holder is null or w.holder = excluded.holder or w.lease_until < now()
      returning version`,
    values: [chatId, holder],
  });
  return row?.version;
}

/** Renews a lease, which then lasts another ten seconds. One that another worker has taken over stays theirs. */
export async function renewLease({ tenant }: TenantDatabase, { orgId, chatId, holder }: Lease): Promise<void> {
  await tenant.query(orgId, {
    name: 'renew-workspace-lease',
    text: `update workspaces set lease_until = now() + ${LEASE} where chat_id = $1 and holder = $2`,
    values: [chatId, holder],
  });
}

/** Gives a lease back. Safe to repeat. */
export async function endLease({ tenant }: TenantDatabase, { orgId, chatId, holder }: Lease): Promise<void> {
  await tenant.query(orgId, {
    name: 'end-workspace-lease',
    text: 'update workspaces set holder = null, lease_until = null where chat_id = $1 and holder = $2',
    values: [chatId, holder],
  });
}
