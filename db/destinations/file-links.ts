import { z } from 'zod';
import type { Database, TenantDatabase } from '../core/database.ts';
import type { SecretBox } from '../core/secret-box.ts';
import { memberMay } from '../permissions/member-may.ts';
import type { SnapshotContent, WorkspaceRef } from '../workspaces/contents.ts';
import { idOf } from '../workspaces/snapshot.ts';

/** A file of a workspace, as it is in the snapshot: the entry, and the content that it has. */
export interface StoredVersion {
  /** The id of the entry, in base64url. */
  readonly entryId: string;
  readonly contentId: string;
}

/** The content of the token of a link: one file of one report, until a time. */
export interface FileLink extends StoredVersion {
  readonly orgId: string;
  readonly deliveryId: string;
  readonly expiresAt: Date;
}

/** How long a link of a file works: less than the report itself is kept. */
export const FILE_LINK_DAYS = 7;

const PURPOSE = 'report-file-link';

// A list is shorter than an object, and some services limit the length of a message.
const linkSchema = z
  .tuple([z.uuid(), z.uuid(), z.uuid(), z.string(), z.int()])
  .transform(([orgId, deliveryId, contentId, entryId, seconds]): FileLink => {
    return { orgId, deliveryId, contentId, entryId, expiresAt: new Date(seconds * 1000) };
  });

/** Makes the token of a link. */
export function sealFileLink(box: SecretBox, link: FileLink): string {
  const { orgId, deliveryId, contentId, entryId, expiresAt } = link;
  const values = [orgId, deliveryId, contentId, entryId, Math.floor(expiresAt.getTime() / 1000)];
  return box.sealToken(values, PURPOSE);
}

/** Returns the files of a workspace that a link can lead to, by their paths: not empty, and in its snapshot. */
export async function storedVersionsOf(
  { tenant }: TenantDatabase,
  { orgId, chatId }: WorkspaceRef,
  paths: readonly string[],
): Promise<ReadonlyMap<string, StoredVersion>> {
  const ids = new Map(paths.map((path) => [idOf({ part: 'files', path }).toString('base64url'), path]));
  const rows = await tenant.query<{ id: Buffer; contentId: string }>(orgId, {
    name: 'versions-for-links',
    text: `select e.id, e.content_id as "contentId" from workspace_entries e
      where e.chat_id = $1 and e.id = any($2::bytea[]) and e.type = 'file' and e.content_id is not null`,
    values: [chatId, [...ids.keys()].map((id) => Buffer.from(id, 'base64url'))],
  });
  return new Map(
    rows.map(({ id, contentId }) => {
      const entryId = id.toString('base64url');
      return [ids.get(entryId) ?? '', { entryId, contentId }];
    }),
  );
}

/** The file that a link leads to. */
interface LinkedFile {
  readonly orgId: string;
  readonly deliveryId: string;
  readonly name: string;
  readonly size: number;
  readonly content: SnapshotContent;
}

/**
 * Returns the file that a link leads to, as long as the report could still be sent and its workspace has the file with
 * that content; undefined for any other token.
 */
export async function findLinkedFile(
  { database, box }: { readonly database: Database; readonly box: SecretBox },
  token: string,
): Promise<LinkedFile | undefined> {
  const link = linkSchema.optional().parse(box.openToken(token, PURPOSE));
  if (link === undefined || link.expiresAt.getTime() <= Date.now()) return undefined;
  const { orgId, deliveryId, entryId, contentId } = link;
  const [row] = await database.tenant.query<FileRow>(orgId, {
    name: 'linked-file',
    text: FILE,
    values: [deliveryId, Buffer.from(entryId, 'base64url'), contentId],
  });
  if (row === undefined) return undefined;
  const { userId, name, bytes, digest, store } = row;
  if (!(await memberMay(database, { orgId, userId }, 'integrations.view'))) return undefined;
  return { orgId, deliveryId, name, size: bytes, content: { id: contentId, digest, bytes, store } };
}

interface FileRow {
  readonly userId: string | null;
  readonly name: string;
  readonly bytes: number;
  readonly digest: string;
  readonly store: string;
}

const FILE = `select d.report ->> 'userId' as "userId", e.name, c.bytes, encode(c.digest, 'hex') as digest, c.store
  from webhook_deliveries d, workspace_contents c join workspace_entries e on e.chat_id = c.chat_id and e.content_id = c.id
  where d.id = $1 and d.report is not null and e.id = $2 and c.id = $3 and not exists (
    select from chats h where h.deleted_at is not null
      and (h.id = c.chat_id or h.id = (select m.chat_id from messages m where m.id = d.message_id))
  )`;
