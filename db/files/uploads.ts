import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { freePathName, isImage, toPathName } from '../../domain/files/index.ts';
import { type Membership, orgLimitReached } from '../../domain/orgs/index.ts';
import type { Database } from '../core/index.ts';
import { retrySerializationFailures } from '../core/retry-serialization-failures.ts';
import type { Statement } from '../core/sql-pool.ts';
import { isUniqueViolation } from '../core/unavailable.ts';
import { heldByOwner, lockForOwner } from '../orgs/index.ts';
import { purgeRows } from '../records/index.ts';
import { FILE_COLUMNS, type StoredFile } from './files.ts';

interface NewUpload {
  readonly chatId: string;
  readonly name: string;
  readonly mediaType: string;
  /** Where its bytes go. */
  readonly store: string;
}

/** The files that a chat may have. */
const MAX_FILES_OF_CHAT = 500;

/** How often a name is chosen when others take it at the same instant. */
const MAX_TRIES = 10;

/** An upload whose bytes are on their way. Nobody sees the file before it is finished. */
export interface Upload {
  readonly orgId: string;
  readonly fileId: string;
}

/** Begins an upload to the user's chat: it has a record, and a name in the workspace. */
export async function beginUpload(database: Database, owner: Membership, upload: NewUpload): Promise<Upload> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await insertUpload(database, owner, upload);
    } catch (error) {
      if (!isUniqueViolation(error) || tries === MAX_TRIES) throw error;
    }
  }
}

async function insertUpload(
  { tenant }: Database,
  { orgId, userId }: Membership,
  { chatId, name, mediaType, store }: NewUpload,
): Promise<Upload> {
  const used = await tenant.query<{ name: string }>(orgId, {
    name: 'names-of-chat-files',
    text: 'select path_name as name from chat_files where chat_id = $1',
    values: [chatId],
  });
  if (used.length >= MAX_FILES_OF_CHAT)
    throw new AppError('conflict', `The chat has ${MAX_FILES_OF_CHAT} files; delete some, or begin another chat`);
  const fileId = uuidv7();
  const pathName = freePathName(toPathName(name), new Set(used.map((file) => file.name)));
  const inserted = await tenant.query(orgId, {
    name: 'begin-upload',
    text: `insert into chat_files (id, org_id, chat_id, user_id, name, path_name, media_type, store)
      select $1, $2, id, $4, $5, $6, $7, $8 from chats where id = $3 and user_id = $4 and deleted_at is null
      returning id`,
    values: [fileId, orgId, chatId, userId, name, pathName, mediaType, store],
  });
  if (inserted.length === 0) throw notFound('Chat');
  return { orgId, fileId };
}

interface UploadEnd {
  readonly size: number;
  readonly mediaType: string;
  /** The bytes that all files of the owner's organizations may have. */
  readonly maxBytes: number;
}

/**
 * Ends an upload whose bytes are stored; `conflict` when the organizations of the owner have no room for it. Uploads to
 * them that end at the same instant wait for each other, so that they cannot exceed the limit together.
 */
export async function finishUpload(
  { tenant, follow }: Pick<Database, 'tenant' | 'follow'>,
  { orgId, fileId }: Upload,
  { size, mediaType, maxBytes }: UploadEnd,
): Promise<StoredFile> {
  const lock: Statement = {
    name: 'lock-uploads',
    text: lockForOwner('$1', '$2'),
    values: [orgId, 'uploads'],
  };
  const finish: Statement<StoredFile> = {
    name: 'finish-upload',
    // A trigger adds to the sum.
    text: `update chat_files f set bytes = $3, is_stored = true, status = $5, updated_at = now()
      where f.id = $1 and not f.is_stored and ${heldByOwner('$2', 'upload_bytes')} + $3::bigint <= $4::bigint
      returning ${FILE_COLUMNS}, f.store`,
    // An image has no text to wait for.
    values: [fileId, orgId, size, maxBytes, isImage(mediaType) ? 'ready' : 'pending'],
  };
  const [, [file]] = await retrySerializationFailures(async () => tenant.transaction(orgId, [lock, finish]));
  if (file === undefined) throw orgLimitReached('uploadBytes', { uploadBytes: maxBytes });
  if (file.status === 'pending') await follow([{ dueWork: [{ kind: 'file-text', orgId, fileId }] }]);
  return file;
}

/** Rejects an upload for which the owner's organizations have no room, before its bytes are read. */
export async function requireRoomForUpload(
  { tenant }: Database,
  { orgId }: Pick<Membership, 'orgId'>,
  { size, maxBytes }: Pick<UploadEnd, 'size' | 'maxBytes'>,
): Promise<void> {
  const [used] = await tenant.query<{ bytes: number }>(orgId, {
    name: 'bytes-of-chat-files',
    text: `select ${heldByOwner('$1', 'upload_bytes')} as bytes`,
    values: [orgId],
  });
  if ((used?.bytes ?? 0) + size > maxBytes) throw orgLimitReached('uploadBytes', { uploadBytes: maxBytes });
}

/** Removes what is there of an upload that came to nothing. */
export async function abandonUpload({ tenant }: Database, { orgId, fileId }: Upload): Promise<void> {
  await tenant.query(orgId, {
    name: 'abandon-upload',
    text: 'delete from chat_files where id = $1 and not is_stored',
    values: [fileId],
  });
}

/** Removes what is there of uploads whose process is gone. */
export async function purgeAbandonedUploads(database: Pick<Database, 'system'>): Promise<void> {
  await purgeRows(database, 'chat_files', "not is_stored and created_at < now() - interval '1 hour'");
}
