import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../db/core/index.ts';
import { type AttachedFile, findAttachedFiles, hasUnreadFile } from '../../../db/files/index.ts';
import type { ClaimedTurn } from '../../../db/turns/index.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { KeyedSemaphore } from '../../../domain/core/keyed-semaphore.ts';
import { isShownImage } from '../../../domain/files/index.ts';
import type { Attachment, Attachments, ModelImage } from '../../../domain/transcripts/index.ts';
import { FileGone, type FileStores } from '../../../files/index.ts';
import { NoPlace } from '../../core/failure-interceptor.ts';
import { retryWhileDatabaseUnavailable } from '../../core/retry-while-database-unavailable.ts';

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
const LOOK_MS = 200;

const NONE: Attachments = new Map();

// The pictures of a call stay in memory for as long as it takes.
const imagePlaces = new KeyedSemaphore({ perKey: 6, total: 12, maxWaiting: 1_000, createError: () => new NoPlace() });

/**
 * Calls `ask` with the files that the messages of the conversation name. At the first step it waits a while for texts
 * that are still being extracted. Without files this costs nothing.
 */
export async function withAttachments<T>(
  deps: AttachmentDeps,
  orgId: string,
  turn: ClaimedTurn,
  stop: AbortSignal,
  ask: (attachments: Attachments) => Promise<T>,
): Promise<T> {
  const named = turn.history.turns.flatMap(({ fileIds }) => fileIds ?? []);
  if (named.length === 0) return ask(NONE);
  const newest = turn.history.turns.at(-1)?.fileIds ?? [];
  if (turn.step === 0 && newest.length > 0) await waitForTexts(deps, orgId, newest, stop);
  const newestFirst = [...new Set(named.toReversed())];
  const files = await findFiles(deps, orgId, newestFirst, stop);
  const images = shownImages(newestFirst, files);
  if (images.length === 0) return ask(files);
  let hasBegun = false;
  const begin = async () => {
    hasBegun = true;
    return ask(await addImages(deps, orgId, files, images));
  };
  try {
    return await imagePlaces.hold(await deps.database.payers.of(orgId), begin, { signal: stop });
  } catch (error) {
    // Stopped while it waited: whoever asks sees to that.
    if (hasBegun || !stop.aborted) throw error;
    return ask(files);
  }
}

async function waitForTexts(
  { database }: AttachmentDeps,
  orgId: string,
  fileIds: readonly string[],
  stop: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  const isWaiting = async () => retryWhileDatabaseUnavailable(stop, () => hasUnreadFile(database, orgId, fileIds));
  while (!stop.aborted && performance.now() < deadline && (await isWaiting()))
    await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => undefined);
}

async function findFiles(
  { database }: AttachmentDeps,
  orgId: string,
  newestFirst: readonly string[],
  stop: AbortSignal,
): Promise<ReadonlyMap<string, AttachedFile>> {
  const find = async () => findAttachedFiles(database, orgId, newestFirst, newestFirst.slice(0, MAX_SHOWN_TEXTS));
  const files = await retryWhileDatabaseUnavailable(stop, find);
  return new Map(files.map((file) => [file.id, file]));
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

async function addImages(
  deps: AttachmentDeps,
  orgId: string,
  files: ReadonlyMap<string, AttachedFile>,
  images: readonly AttachedFile[],
): Promise<Attachments> {
  const all = new Map<string, Attachment>(files);
  for (const file of images) all.set(file.id, { ...file, image: await readImage(deps, orgId, file) });
  return all;
}

async function readImage(
  { files }: AttachmentDeps,
  orgId: string,
  file: AttachedFile,
): Promise<ModelImage | undefined> {
  const range = { start: 0, end: file.size - 1 };
  try {
    const pieces: Buffer[] = [];
    for await (const piece of files.of(file).read({ orgId, fileId: file.id }, range)) pieces.push(piece);
    return { mediaType: file.mediaType, data: Buffer.concat(pieces).toString('base64') };
  } catch (error) {
    // A turn need not fail because a picture cannot be had; the model is told so.
    if (error instanceof FileGone || error instanceof AppError) return undefined;
    throw error;
  }
}
