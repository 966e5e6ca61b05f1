import type { TenantDatabase } from '../core/index.ts';
import { type ChatFile, FILE_COLUMNS, type StoredFile } from './files.ts';

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
