import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { freePathName, isImage, toPathName } from '../../domain/files.ts';
import { type Membership, orgLimitReached } from '../../domain/orgs.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { isUniqueViolation } from '../core/unavailable.ts';
import { lockForOwner, totalOfOwner } from '../orgs/require-room.ts';
import { purgeRows } from '../records/records.ts';
import { FILE_COLUMNS, type StoredFile } from './files.ts';

interface NewUpload {
  /** The chat that it is for; null for a document of a knowledge base. */
  readonly chatId: string | null;
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

/** Begins an upload: it has a record, and in the user's chat a name in the workspace. */
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
      select $1, $2, $3, $4, $5, $6, $7, $8 where $3::uuid is null
        or exists (select from chats where id = $3 and user_id = $4 and deleted_at is null)
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
  /** Attaches the file, in the same transaction. Returns the id of the document that it becomes; null for none. */
  readonly attach?: ((em: EntityManager) => Promise<string | null>) | undefined;
}

/**
 * Ends an upload whose bytes are stored; `conflict` when the organizations of the owner have no room for it. Uploads to
 * them that end at the same instant wait for each other, so that they cannot exceed the limit together.
 */
export async function finishUpload(
  database: Database,
  { orgId, fileId }: Upload,
  { size, mediaType, maxBytes, attach }: UploadEnd,
): Promise<StoredFile> {
  await withOrgTransaction(database, orgId, async (em) => {
    const documentId = (await attach?.(em)) ?? null;
    // Last, because all other uploads of the owner wait from here on.
    await em.execute(lockForOwner('?', '?'), [orgId, 'uploads']);
    // An image has no text to wait for.
    const status = isImage(mediaType) ? 'ready' : 'pending';
    // A trigger adds to the sum.
    const finished = await em.execute<object[]>(
      `update chat_files set bytes = ?, is_stored = true, status = ?, document_id = ?, updated_at = now()
        where id = ? and not is_stored and ${totalOfOwner('?', 'upload_bytes')} + ?::bigint <= ?::bigint returning id`,
      [size, status, documentId, fileId, orgId, size, maxBytes],
    );
    if (finished.length === 0) throw orgLimitReached('uploadBytes', { uploadBytes: maxBytes });
    if (status === 'pending') afterCommit(em, { dueWork: [{ kind: 'file-text', orgId, fileId }] });
  });
  const [file] = await database.tenant.query<StoredFile>(orgId, {
    name: 'finished-upload',
    text: `select ${FILE_COLUMNS}, f.store from chat_files f where f.id = $1`,
    values: [fileId],
  });
  if (file === undefined) throw notFound('File');
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
    text: `select ${totalOfOwner('$1', 'upload_bytes')} as bytes`,
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
