import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../db/core/database.ts';
import { type AttachedFile, findAttachedFiles } from '../../../db/files/files.ts';
import { TEXT_CHUNK_CHARACTERS } from '../../../db/files/texts.ts';
import type { ClaimedTurn } from '../../../db/turns/claim/claimed-turn.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { isShownImage } from '../../../domain/files.ts';
import type { Attachment, Attachments } from '../../../domain/transcripts/attachments.ts';
import type { ModelImage } from '../../../domain/transcripts/model-message.ts';
import { FileGone } from '../../../files/file-store.ts';
import type { FileStores } from '../../../files/file-stores.ts';
import { retryWhileDatabaseUnavailable } from '../../core/passing-error.ts';

export interface AttachmentDeps {
  readonly database: Database;
  readonly files: FileStores;
}

/** The newest files whose texts are shown; older ones are named. */
const MAX_SHOWN_TEXTS = 40;
/** The newest pictures that are shown: their number, the bytes of one, which providers bound, and of all. */
const MAX_IMAGES = 10;
const MAX_IMAGE_BYTES = 3_500_000;
const MAX_IMAGES_BYTES = 8_000_000;
/** How long a turn waits for the texts of the files that came with its message. */
const MAX_WAIT_MS = 30_000;
const POLL_MS = 200;

/** The most memory that a byte of a picture takes while a request is made of it. */
const BYTES_OF_IMAGE_BYTE = 6;
/** The same for a character of a text. */
const BYTES_OF_CHARACTER = 8;

const NONE: Attachments = new Map();

/** The files that the messages of a conversation name, without their content. */
export interface NamedFiles {
  readonly newestFirst: readonly string[];
  /** The newest pictures that may be shown together. */
  readonly images: readonly AttachedFile[];
  /** The most memory that their contents take while a request is made of them. */
  readonly heapBytes: number;
}

const NO_FILES: NamedFiles = { newestFirst: [], images: [], heapBytes: 0 };

/**
 * Finds the files that the messages of the conversation name. At the first step it waits a while for texts that are
 * still being extracted. Without files this costs nothing.
 */
export async function findNamedFiles(
  deps: AttachmentDeps,
  orgId: string,
  turn: ClaimedTurn,
  stop: AbortSignal,
): Promise<NamedFiles> {
  const named = turn.history.turns.flatMap(({ fileIds }) => fileIds ?? []);
  if (named.length === 0) return NO_FILES;
  const newestFirst = [...new Set(named.toReversed())];
  const awaited = new Set(turn.step === 0 ? turn.history.turns.at(-1)?.fileIds : []);
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const found = await findFiles(deps, orgId, newestFirst, { stop, withText: [] });
    const isComplete = found.every(({ id, status }) => status !== 'pending' || !awaited.has(id));
    if (isComplete || stop.aborted || performance.now() > deadline) return namedFilesOf(newestFirst, found);
    await sleep(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Reads the contents of files that are shown to a model. */
export async function readAttachments(
  deps: AttachmentDeps,
  orgId: string,
  { newestFirst, images }: NamedFiles,
  stop: AbortSignal,
): Promise<Attachments> {
  if (newestFirst.length === 0) return NONE;
  const files = await findFiles(deps, orgId, newestFirst, { stop, withText: newestFirst.slice(0, MAX_SHOWN_TEXTS) });
  const all = new Map<string, Attachment>(files.map((file) => [file.id, file]));
  for (const file of images) all.set(file.id, { ...file, image: await readImage(deps, orgId, file) });
  return all;
}

async function findFiles(
  { database }: AttachmentDeps,
  orgId: string,
  fileIds: readonly string[],
  { stop, withText }: { readonly stop: AbortSignal; readonly withText: readonly string[] },
): Promise<AttachedFile[]> {
  return retryWhileDatabaseUnavailable(stop, () => findAttachedFiles(database, orgId, fileIds, withText));
}

function namedFilesOf(newestFirst: readonly string[], found: readonly AttachedFile[]): NamedFiles {
  const files = new Map(found.map((file) => [file.id, file]));
  const images = shownImages(newestFirst, files);
  const withText = newestFirst.slice(0, MAX_SHOWN_TEXTS);
  const characters = withText.reduce(
    (sum, id) => sum + Math.min(files.get(id)?.textCharacters ?? 0, TEXT_CHUNK_CHARACTERS),
    0,
  );
  const imageBytes = images.reduce((sum, { size }) => sum + size, 0);
  return { newestFirst, images, heapBytes: BYTES_OF_CHARACTER * characters + BYTES_OF_IMAGE_BYTE * imageBytes };
}

/** Returns the newest pictures that may be shown together. */
function shownImages(newestFirst: readonly string[], files: ReadonlyMap<string, AttachedFile>): AttachedFile[] {
  let left = MAX_IMAGES_BYTES;
  const shown: AttachedFile[] = [];
  for (const file of newestFirst.flatMap((id) => files.get(id) ?? [])) {
    if (!isShownImage(file.mediaType) || file.size > Math.min(left, MAX_IMAGE_BYTES)) continue;
    if (shown.length === MAX_IMAGES) break;
    shown.push(file);
    left -= file.size;
  }
  return shown;
}

async function readImage(
  { files }: AttachmentDeps,
  orgId: string,
  file: AttachedFile,
): Promise<ModelImage | undefined> {
  const range = { start: 0, end: file.size - 1 };
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of files.of(file).read({ orgId, fileId: file.id }, range)) chunks.push(chunk);
    return { mediaType: file.mediaType, data: Buffer.concat(chunks).toString('base64') };
  } catch (error) {
    // A turn need not fail because a picture cannot be read; the model is informed.
    if (error instanceof FileGone || error instanceof AppError) return undefined;
    throw error;
  }
}
