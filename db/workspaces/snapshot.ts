import { createHash } from 'node:crypto';
import type { TenantDatabase } from '../core/database.ts';
import {
  columnsOf,
  insertContents,
  type Lease,
  type SmallContent,
  type SnapshotContent,
  type WorkspaceRef,
} from './contents.ts';

/** The files of a workspace, or the records beside them: of edits, and of text from outside. */
export type WorkspacePart = 'files' | 'edits' | 'marks';

/** An entry of a snapshot. */
export interface SnapshotEntry {
  readonly part: WorkspacePart;
  /** Relative to the part. */
  readonly path: string;
  readonly type: 'file' | 'folder' | 'link';
  /** Its permissions. */
  readonly mode: number;
  readonly bytes: number;
  readonly modifiedAt: Date;
  /** Null for an empty file, and for what is none. */
  readonly content: SnapshotContent | null;
  /** The target of a link. */
  readonly target: string | null;
}

/** The changes to a snapshot. */
interface SnapshotChanges {
  /** Added, or replacing the one at this path. */
  readonly put: readonly SnapshotEntry[];
  readonly gone: readonly Pick<SnapshotEntry, 'part' | 'path'>[];
  /** Contents that no entry has any longer. */
  readonly unused: readonly string[];
  /** Contents that are stored with it, beside those that are there. */
  readonly added: readonly SmallContent[];
}

/** Returns the newest snapshot; of version 0, and empty, while there is none. */
export async function readSnapshot(
  { tenant }: TenantDatabase,
  { orgId, chatId }: WorkspaceRef,
): Promise<{ readonly version: number; readonly entries: readonly SnapshotEntry[] }> {
  const rows = await tenant.query<SnapshotRow>(orgId, {
    name: 'read-workspace-snapshot',
    text: `select w.version, e.part, e.folder, e.name, e.type, e.mode, e.bytes, e.modified_at as "modifiedAt", e.target,
        c.id as "contentId", encode(c.digest, 'hex') as digest, c.store
      from workspaces w left join workspace_entries e on e.chat_id = w.chat_id
        left join workspace_contents c on c.id = e.content_id
      where w.chat_id = $1`,
    values: [chatId],
  });
  // Without an entry its columns are null.
  const entries = rows.filter(({ part }) => part !== null).map(toEntry);
  return { version: rows[0]?.version ?? 0, entries };
}

type SnapshotRow = Omit<SnapshotEntry, 'content' | 'path' | 'part'> & {
  readonly version: number;
  readonly part: WorkspacePart;
  readonly folder: string;
  readonly name: string;
  readonly contentId: string | null;
  readonly digest: string;
  readonly store: string;
};

function toEntry(row: SnapshotRow): SnapshotEntry {
  const { version: _version, folder, name, contentId, digest, store, ...entry } = row;
  const path = folder === '' ? name : `${folder}/${name}`;
  const content = contentId === null ? null : { id: contentId, digest, bytes: entry.bytes, store };
  return { ...entry, path, content };
}

/**
 * Stores the next snapshot, after `version`, and gives the lease back if it `isLast`. Returns the new version;
 * undefined, with nothing stored, when the lease was lost to another worker. All contents but those that it adds must
 * be stored before.
 */
export async function storeSnapshot(
  { tenant }: TenantDatabase,
  { orgId, chatId, holder }: Lease,
  {
    version,
    changes,
    isLast,
  }: { readonly version: number; readonly changes: SnapshotChanges; readonly isLast: boolean },
): Promise<number | undefined> {
  const { put, gone, unused, added } = changes;
  const [row] = await tenant.query<{ version: number }>(orgId, {
    name: 'store-workspace-snapshot',
    text: STORE,
    values: [
      chatId,
      version,
      holder,
      isLast,
      gone.map(idOf),
      unused,
      put.flatMap(({ content }) => (content === null ? [] : [content.id])),
      JSON.stringify(put.map(toRow)),
      orgId,
      ...columnsOf(added),
    ],
  });
  return row?.version;
}

const INSERT_CONTENTS = insertContents({ chatId: '$1', orgId: '$9', columns: ['$10', '$11', '$12'], with: 'leased' });

// An entry is never among those that are gone and those that are put.
const STORE = `with leased as (
    update workspaces set version = version + 1, holder = case when $4 then null else holder end,
      lease_until = case when $4 then null else lease_until end
    where chat_id = $1 and version = $2 and holder = $3 returning chat_id, org_id, version
  ),
  contents as (
    ${INSERT_CONTENTS}
  ),
  removed as (
    delete from workspace_entries e using leased where e.chat_id = leased.chat_id and e.id = any($5::bytea[])
  ),
  unused as (
    update workspace_contents c set unused_since = now() from leased
    where c.chat_id = leased.chat_id and c.id = any($6::uuid[])
  ),
  used as (
    update workspace_contents c set unused_since = null from leased
    where c.chat_id = leased.chat_id and c.id = any($7::uuid[]) and c.unused_since is not null
  ),
  added as (
    insert into workspace_entries as e
      (chat_id, id, org_id, part, folder, name, type, mode, bytes, modified_at, content_id, target)
    select leased.chat_id, decode(row.id, 'hex'), leased.org_id, row.part, row.folder, row.name, row.type, row.mode, row.bytes,
      row.modified_at, row.content_id, row.target
    from leased, json_to_recordset($8::json) as row (id text, part text, folder text, name text, type text, mode int,
      bytes bigint, modified_at timestamptz, content_id uuid, target text)
    on conflict (chat_id, id) do update set type = excluded.type, mode = excluded.mode, bytes = excluded.bytes,
      modified_at = excluded.modified_at, content_id = excluded.content_id, target = excluded.target
  )
  select version from leased`;

function toRow({ path, modifiedAt, content, ...entry }: SnapshotEntry) {
  const at = path.lastIndexOf('/');
  const [folder, name] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
  const id = idOf({ part: entry.part, path }).toString('hex');
  return { ...entry, id, folder, name, modified_at: modifiedAt, content_id: content?.id ?? null };
}

/** Returns the id of an entry: its path may be too long for an index. */
export function idOf({ part, path }: Pick<SnapshotEntry, 'part' | 'path'>): Buffer {
  return createHash('sha256').update(`${part}:${path}`).digest();
}
