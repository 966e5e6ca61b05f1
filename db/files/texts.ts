import type { DueWork } from '../../domain/core/due-work.ts';
import { toStorableText } from '../../domain/core/text.ts';
import type { FileStatus } from '../../domain/files.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { fairBatch, OVERDUE } from '../core/sql.ts';
import type { StoredFile } from './files.ts';

/** The characters of every chunk of a text but its last. A model is shown no more than the first chunk. */
export const TEXT_CHUNK_CHARACTERS = 32_000;

/** A file whose text is to be extracted. */
export interface FileToRead extends Pick<StoredFile, 'id' | 'name' | 'mediaType' | 'size' | 'store'> {
  /** How often this was begun, this time included. */
  readonly tries: number;
}

interface FileRef {
  readonly orgId: string;
  readonly fileId: string;
}

/** Returns the type and the size of a file whose text is to be extracted; `undefined` when there is nothing to do. */
export async function findFileToExtract(
  { tenant }: Database,
  { orgId, fileId }: FileRef,
): Promise<Pick<FileToRead, 'mediaType' | 'size'> | undefined> {
  const [file] = await tenant.query<Pick<FileToRead, 'mediaType' | 'size'>>(orgId, {
    name: 'find-unread-file',
    text: `select media_type as "mediaType", bytes as size from chat_files
      where id = $1 and is_stored and status = 'pending'`,
    values: [fileId],
  });
  return file;
}

/** Records that the extraction of a file's text begins; `undefined` when there is nothing to do. */
export async function beginExtraction(
  { tenant }: Database,
  { orgId, fileId }: FileRef,
): Promise<FileToRead | undefined> {
  const [file] = await tenant.query<FileToRead>(orgId, {
    name: 'begin-extraction',
    text: `update chat_files set tries = tries + 1, updated_at = now()
      where id = $1 and is_stored and status = 'pending'
      returning id, name, media_type as "mediaType", bytes as size, store, tries`,
    values: [fileId],
  });
  return file;
}

/** Reverts the beginning of an extraction whose process is still alive: the file did not kill it. */
export async function takeBackExtraction({ tenant }: Database, { orgId, fileId }: FileRef): Promise<void> {
  await tenant.query(orgId, {
    name: 'take-back-extraction',
    text: "update chat_files set tries = tries - 1 where id = $1 and status = 'pending' and tries > 0",
    values: [fileId],
  });
}

interface ExtractedText {
  readonly text: string;
  /** Whether the file itself is not that text. */
  readonly isApart: boolean;
}

/** Stores the text of a file. */
export async function storeFileText(
  { tenant }: Database,
  { orgId, fileId }: FileRef,
  { text, isApart }: ExtractedText,
): Promise<void> {
  const storable = toStorableText(text);
  await tenant.query(orgId, {
    name: 'store-file-text',
    text: `with file as (
        update chat_files set status = 'ready', error = null, text_characters = $2, has_text_apart = $3,
          updated_at = now()
        where id = $1 and status = 'pending' returning id, org_id
      )
      insert into chat_file_texts (file_id, seq, org_id, content)
      select file.id, chunk.at - 1, file.org_id, chunk.content
      from file, unnest($4::text[]) with ordinality as chunk (content, at)`,
    values: [fileId, storable.length, isApart, chunksOf(storable)],
  });
}

/** Records why a file has no text. */
export async function storeFileFailure({ tenant }: Database, { orgId, fileId }: FileRef, error: string): Promise<void> {
  await tenant.query(orgId, {
    name: 'store-file-failure',
    text: `update chat_files set status = 'failed', error = $2, updated_at = now() where id = $1 and status = 'pending'`,
    values: [fileId, toStorableText(error)],
  });
}

/** The state of a file's text. */
interface TextState {
  readonly status: FileStatus;
  readonly error: string | null;
  readonly textCharacters: number | null;
}

/** Returns the state of a file's text; `undefined` when there is no such file. */
export async function findTextState(
  { tenant }: TenantDatabase,
  { orgId, fileId }: FileRef,
): Promise<TextState | undefined> {
  const [state] = await tenant.query<TextState>(orgId, {
    name: 'find-text-state',
    text: 'select status, error, text_characters as "textCharacters" from chat_files where id = $1 and is_stored',
    values: [fileId],
  });
  return state;
}

/** Returns a chunk of a file's text, from 0; `undefined` past its end. */
export async function readTextChunk(
  { tenant }: TenantDatabase,
  { orgId, fileId }: FileRef,
  seq: number,
): Promise<string | undefined> {
  const [chunk] = await tenant.query<{ content: string }>(orgId, {
    name: 'read-file-text',
    text: 'select content from chat_file_texts where file_id = $1 and seq = $2',
    values: [fileId, seq],
  });
  return chunk?.content;
}

/** Returns files whose text nobody seems to be extracting, of all organizations. */
export async function findUnreadFiles({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<FileRef>({
    name: 'find-unread-files',
    text: fairBatch(`select org_id as "orgId", id as "fileId" from chat_files
      where status = 'pending' and is_stored and updated_at < ${OVERDUE} order by updated_at`),
  });
  return rows.map((file) => ({ kind: 'file-text', ...file }));
}

// A pair of surrogates stays together: half of one cannot be stored.
function chunksOf(text: string): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = start + TEXT_CHUNK_CHARACTERS;
    const isBroken = end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff;
    chunks.push(text.slice(start, isBroken ? end - 1 : end));
    start = isBroken ? end - 1 : end;
  }
  return chunks;
}
