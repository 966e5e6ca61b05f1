import { notFound } from '../../domain/core/app-error.ts';
import { type ChatReader, readableBy } from '../chats/chat.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import type { Statement } from '../core/sql-pool.ts';
import type { SnapshotContent } from './contents.ts';
import { idOf, type SnapshotEntry } from './snapshot.ts';

/** An entry of a workspace, as people see it. */
interface WorkspaceEntry extends Pick<SnapshotEntry, 'path' | 'type' | 'modifiedAt'> {
  /** In bytes; 0 for a folder and a link. */
  readonly size: number;
}

/** A file of a workspace and where its bytes are. */
interface WorkspaceFile {
  readonly size: number;
  /** Null for an empty one. */
  readonly content: SnapshotContent | null;
}

/** A path in the workspace of a chat. */
interface PathInChat {
  readonly chatId: string;
  readonly path: string;
}

/**
 * Returns a page of what is in a folder of the workspace of a chat that the reader may read, by name; the empty path is
 * the workspace itself. `not_found` when there is no such chat, or no such folder.
 */
export async function listWorkspace(
  { tenant }: Pick<Database, 'tenant'>,
  reader: ChatReader,
  { chatId, path }: PathInChat,
  page: Page,
): Promise<Listed<WorkspaceEntry>> {
  const read = async (statement: Statement) => {
    const [chats, folders, rows] = await tenant.series(reader.orgId, [
      readableChat(reader, chatId),
      entryAt({ chatId, path }, 'folder'),
      statement,
    ]);
    if (chats?.length !== 1) throw notFound('Chat');
    if (path !== '' && folders?.length !== 1) throw notFound('Folder');
    return rows ?? [];
  };
  return readPage<WorkspaceEntry>(read, {
    name: 'list-workspace',
    columns: `case when e.folder = '' then e.name else e.folder || '/' || e.name end as path, e.type, e.bytes as size,
      e.modified_at as "modifiedAt"`,
    bytes: '200 + octet_length(e.folder) + octet_length(e.name)',
    source: `from workspace_entries e where e.chat_id = ${ROOT_OF} and e.part = 'files' and e.folder = $2`,
    order: 'e.name collate "C"',
    values: [chatId, path],
    page,
  });
}

/** Returns a file of the workspace of a chat that the reader may read; `not_found` when there is none. */
export async function getWorkspaceFile(
  { tenant }: Pick<Database, 'tenant'>,
  reader: ChatReader,
  location: PathInChat,
): Promise<WorkspaceFile> {
  const [chats, [file]] = await tenant.series(reader.orgId, [
    readableChat(reader, location.chatId),
    entryAt(location, 'file'),
  ] as const);
  if (chats.length !== 1) throw notFound('Chat');
  if (file === undefined) throw notFound('File');
  const { size, contentId, digest, store } = file;
  return { size, content: contentId === null ? null : { id: contentId, digest, bytes: size, store } };
}

interface FileRow {
  readonly size: number;
  readonly contentId: string | null;
  readonly digest: string;
  readonly store: string;
}

/** The chat whose workspace the chat `$1` uses. */
const ROOT_OF = '(select coalesce(root_chat_id, id) from chats where id = $1)';

function readableChat({ userId, seesShared }: ChatReader, chatId: string): Statement {
  return {
    name: 'chat-for-workspace',
    text: `select from chats c where c.id = $1 and c.deleted_at is null and ${readableBy('c', '$2', '$3')}`,
    values: [chatId, userId, seesShared],
  };
}

function entryAt({ chatId, path }: PathInChat, type: 'file' | 'folder'): Statement<FileRow> {
  return {
    name: 'workspace-entry',
    text: `select e.bytes as size, c.id as "contentId", encode(c.digest, 'hex') as digest, c.store
      from workspace_entries e left join workspace_contents c on c.id = e.content_id
      where e.chat_id = ${ROOT_OF} and e.id = $2 and e.type = $3`,
    values: [chatId, idOf({ part: 'files', path }), type],
  };
}
