import type { Database, TenantDatabase } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { FileStatus } from '../../domain/files.ts';
import type { Membership } from '../../domain/orgs.ts';
import { type ChatReader, readableBy } from '../chats/chat.ts';
import type { Statement } from '../core/sql-pool.ts';

/** A file that a user has added to a chat. */
export interface ChatFile {
  readonly id: string;
  readonly chatId: string;
  readonly userId: string | null;
  /** As its sender named it; it may contain any character. */
  readonly name: string;
  /** Its name in the workspace of the chat, below `uploads`. */
  readonly pathName: string;
  readonly mediaType: string;
  readonly size: number;
  readonly status: FileStatus;
  /** Why its text could not be extracted. */
  readonly error: string | null;
  /** The length of its text; null while there is none. */
  readonly textCharacters: number | null;
  /** Whether its text is stored separately, because the file itself is not that text. */
  readonly hasTextApart: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A file of a chat, or of a document of a knowledge base, and where its bytes are. */
export interface StoredFile extends Omit<ChatFile, 'chatId'> {
  readonly store: string;
}

/** The columns of `ChatFile` from `chat_files f`. */
export const FILE_COLUMNS = `f.id, f.chat_id as "chatId", f.user_id as "userId", f.name, f.path_name as "pathName",
  f.media_type as "mediaType", f.bytes as size, f.status, f.error, f.text_characters as "textCharacters",
  f.has_text_apart as "hasTextApart", f.created_at as "createdAt", f.updated_at as "updatedAt"`;

/** A file in a chat. */
interface FileIds {
  readonly chatId: string;
  readonly fileId: string;
}

/**
 * Returns a page of the files of a chat that the reader may read, oldest first; `not_found` when there is no such chat.
 */
export async function listFiles(
  { tenant }: Database,
  reader: ChatReader,
  chatId: string,
  page: Page,
): Promise<Listed<ChatFile>> {
  const read = async (statement: Statement) => {
    const [chats, rows] = await tenant.series(reader.orgId, [readableChat(reader, chatId), statement]);
    if (chats?.length !== 1) throw notFound('Chat');
    return rows ?? [];
  };
  return readPage<ChatFile>(read, {
    name: 'list-chat-files',
    columns: FILE_COLUMNS,
    bytes: '500 + octet_length(f.name) + octet_length(f.path_name)',
    source: 'from chat_files f where f.chat_id = $1 and f.is_stored',
    order: 'f.id',
    values: [chatId],
    page,
  });
}

/** Returns a file of a chat that the reader may read; `not_found` when there is none. */
export async function getFile({ tenant }: Database, reader: ChatReader, ids: FileIds): Promise<StoredFile & ChatFile> {
  const [chats, [file]] = await tenant.series(reader.orgId, [
    readableChat(reader, ids.chatId),
    storedFile(ids),
  ] as const);
  if (chats.length !== 1) throw notFound('Chat');
  if (file === undefined) throw notFound('File');
  return file;
}

/** Returns a file of any chat that the reader may read; `not_found` when there is none. */
export async function findReadableFile({ tenant }: TenantDatabase, reader: ChatReader, id: string): Promise<ChatFile> {
  const [file] = await tenant.query<ChatFile>(reader.orgId, {
    name: 'find-readable-file',
    text: `select ${FILE_COLUMNS} from chat_files f join chats c on c.id = f.chat_id
      where f.id = $1 and f.is_stored and c.deleted_at is null and ${readableBy('c', '$2', '$3')}`,
    values: [id, reader.userId, reader.seesShared],
  });
  if (file === undefined) throw notFound('File');
  return file;
}

/** Returns the file that a document was uploaded as; `not_found` when it was made of something else. */
export async function getFileOfDocument(
  { tenant }: TenantDatabase,
  orgId: string,
  documentId: string,
): Promise<StoredFile> {
  const [file] = await tenant.query<StoredFile>(orgId, {
    name: 'get-file-of-document',
    text: `select ${FILE_COLUMNS}, f.store from chat_files f where f.document_id = $1`,
    values: [documentId],
  });
  if (file === undefined) throw notFound('File');
  return file;
}

/** Deletes a file of the user's chat with its bytes and text, and returns it; `not_found` when there is none. */
export async function deleteFile(database: Database, owner: Membership, ids: FileIds): Promise<StoredFile> {
  const file = await getFile(database, ownerAsReader(owner), ids);
  const deleted = await database.tenant.query(owner.orgId, {
    name: 'delete-chat-file',
    text: 'delete from chat_files where id = $1 and chat_id = $2 returning id',
    values: [ids.fileId, ids.chatId],
  });
  if (deleted.length === 0) throw notFound('File');
  return file;
}

/** Checks that the user may add files to the chat; `conflict` for the chat of a sub-agent. */
export async function requireChatForFiles({ tenant }: Database, owner: Membership, chatId: string): Promise<void> {
  const [chat] = await tenant.query(owner.orgId, readableChat(ownerAsReader(owner), chatId));
  if (chat === undefined) throw notFound('Chat');
  if (chat.isSubChat)
    throw new AppError('conflict', 'This chat belongs to a sub-agent; add the file to the chat that it works for');
}

// Only the owner of a chat may change it.
function ownerAsReader({ orgId, userId }: Membership): ChatReader {
  return { orgId, userId, seesShared: false };
}

function readableChat({ userId, seesShared }: ChatReader, chatId: string): Statement<{ readonly isSubChat: boolean }> {
  return {
    name: 'chat-for-files',
    text: `select c.parent_chat_id is not null as "isSubChat" from chats c
      where c.id = $1 and c.deleted_at is null and ${readableBy('c', '$2', '$3')}`,
    values: [chatId, userId, seesShared],
  };
}

function storedFile({ chatId, fileId }: FileIds): Statement<StoredFile & ChatFile> {
  return {
    name: 'get-chat-file',
    text: `select ${FILE_COLUMNS}, f.store from chat_files f where f.id = $1 and f.chat_id = $2 and f.is_stored`,
    values: [fileId, chatId],
  };
}

/** A file that a message names, for the model that reads the message. */
export interface AttachedFile extends StoredFile {
  /** The beginning of its text; null when it has none, or was not asked for. */
  readonly beginning: string | null;
}

/** Returns those of the files that still exist, in no particular order, and the texts of those in `shownIds`. */
export async function findAttachedFiles(
  { tenant }: TenantDatabase,
  orgId: string,
  fileIds: readonly string[],
  shownIds: readonly string[],
): Promise<AttachedFile[]> {
  return tenant.query<AttachedFile>(orgId, {
    name: 'attached-files',
    text: `select ${FILE_COLUMNS}, f.store,
        case when f.id = any($2::uuid[]) then (
          select t.content from chat_file_texts t where t.file_id = f.id and t.seq = 0
        ) end as beginning
      from chat_files f where f.id = any($1::uuid[]) and f.is_stored`,
    values: [fileIds, shownIds],
  });
}

/** A file as it is found in the workspace of its chat. */
export interface UploadedFile extends Pick<ChatFile, 'id' | 'pathName' | 'size' | 'hasTextApart' | 'textCharacters'> {
  readonly store: string;
  readonly createdAt: Date;
}

/** Returns the files of a chat, by name. */
export async function listUploads(
  { tenant }: TenantDatabase,
  { orgId, chatId }: { readonly orgId: string; readonly chatId: string },
): Promise<UploadedFile[]> {
  return tenant.query<UploadedFile>(orgId, {
    name: 'uploads-of-chat',
    text: `select id, path_name as "pathName", bytes as size, has_text_apart as "hasTextApart",
        text_characters as "textCharacters", store, created_at as "createdAt"
      from chat_files where chat_id = $1 and is_stored order by path_name`,
    values: [chatId],
  });
}

/** The bytes of every chunk of a file but its last. */
export const CHUNK_BYTES = 256 * 1024;

/** A chunk of a file. */
export interface ChunkRef {
  readonly orgId: string;
  readonly fileId: string;
  /** From 0. */
  readonly seq: number;
}

/** Stores a chunk of a file whose upload has begun. */
export async function storeChunk(
  { tenant }: TenantDatabase,
  { orgId, fileId, seq }: ChunkRef,
  content: Buffer,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-file-chunk',
    text: 'insert into chat_file_chunks (file_id, seq, org_id, content) values ($1, $2, $3, $4)',
    values: [fileId, seq, orgId, content],
  });
}

/** Returns a chunk of a file; `undefined` past its end, and when the file is gone. */
export async function readChunk(
  { tenant }: TenantDatabase,
  { orgId, fileId, seq }: ChunkRef,
): Promise<Buffer | undefined> {
  const [chunk] = await tenant.query<{ content: Buffer }>(orgId, {
    name: 'read-file-chunk',
    text: 'select content from chat_file_chunks where file_id = $1 and seq = $2',
    values: [fileId, seq],
  });
  return chunk?.content;
}

/** A file whose record is gone, and whose bytes may still be where they were kept. */
interface RemovedFile {
  readonly fileId: string;
  readonly orgId: string;
  readonly store: string;
}

/** Returns files whose bytes are to be removed from one of these stores now, those that are due longest first. */
export async function findRemovedFiles(
  { system }: Database,
  stores: readonly string[],
  limit: number,
): Promise<RemovedFile[]> {
  const { rows } = await system.query<RemovedFile>(
    `select file_id as "fileId", org_id as "orgId", store from removed_files
      where store = any($1) and next_try_at <= now() order by next_try_at limit $2`,
    [stores, limit],
  );
  return rows;
}

/** Forgets a file whose bytes have been removed. */
export async function forgetRemovedFile({ system }: Database, fileId: string): Promise<void> {
  await system.query('delete from removed_files where file_id = $1', [fileId]);
}

/** Lets other files go first: the bytes of these could not be removed. They are tried again after up to ten minutes. */
export async function postponeRemoval({ system }: Database, fileIds: readonly string[]): Promise<void> {
  await system.query(
    `update removed_files
      set next_try_at = now() + greatest(interval '15 seconds', least(now() - removed_at, interval '10 minutes'))
      where file_id = any($1::uuid[])`,
    [fileIds],
  );
}
