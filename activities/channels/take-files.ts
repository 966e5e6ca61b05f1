import { Readable } from 'node:stream';
import { findAddedFiles, noteAddedFile } from '../../db/channels/events.ts';
import type { ThreadRef } from '../../db/channels/threads.ts';
import type { StoredFile } from '../../db/files/files.ts';
import { requireRoomForUpload } from '../../db/files/uploads.ts';
import { AppError, type AppErrorCode } from '../../domain/core/app-error.ts';
import type { Payer } from '../../domain/core/keyed-semaphore.ts';
import { formatBytes, plainLine } from '../../domain/core/text.ts';
import { EmptyFileError, storeUpload } from '../../files/store-upload.ts';
import { runLargeWork } from '../tools/operations/tool-context.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import type { SentFile, SentMessage } from './conversation.ts';
import type { ChannelDeps } from './receive-messages.ts';

/** As many as a message of the console names. */
const MAX_FILES = 20;
/** The bytes of one file, which is in memory as a whole, and of all files of a message. */
const MAX_BYTES_OF_ONE = 25 * 1024 ** 2;
const MAX_BYTES = 100 * 1024 ** 2;
/** How long one attempt may read files: the activity ends within two minutes. */
const BUDGET_MS = 40_000;
/** The most files that are named as not taken. */
const MAX_NAMED = 20;
const MAX_SHOWN_NAME = 100;
const MAX_REASON = 200;
/** Errors by which the storage rejects a file. */
const REFUSALS: ReadonlySet<AppErrorCode> = new Set(['conflict', 'limit_reached']);

/** The files of a message, and the chat that they are for. */
interface TakenFrom extends Pick<SentMessage, 'files' | 'unlisted'> {
  readonly eventId: string;
  readonly thread: ThreadRef;
  readonly chatId: string;
  /** Whether another attempt is made after a failure that may pass. */
  readonly mayTryAgain: (error: ToolFailure) => boolean;
}

/** The files of a message that its chat has, and a text about the others; '' for none. */
interface TakenFiles {
  readonly fileIds: readonly string[];
  readonly untaken: string;
}

/**
 * Adds the files of a message to the chat as uploads of its sender, each once, however often this is repeated. Those
 * that cannot be taken are named with the reason. Throws `ToolFailure` while another attempt may help.
 */
export async function takeFiles(deps: ChannelDeps, from: TakenFrom, signal: AbortSignal): Promise<TakenFiles> {
  const { eventId, thread, chatId, files, unlisted, mayTryAgain } = from;
  if (files.length === 0) return { fileIds: [], untaken: '' };
  const { orgId } = thread;
  const added = await findAddedFiles(deps.database, orgId, { eventId, chatId });
  const payer = await deps.database.payers.of(orgId);
  const fileIds: string[] = [];
  const untaken: string[] = [];
  let left: Left = { files: MAX_FILES, bytes: MAX_BYTES, until: performance.now() + BUDGET_MS };
  for (const [position, file] of files.entries()) {
    const former = added.get(position);
    try {
      const taken =
        former?.bytes == null
          ? await addFile(deps, { ...from, file, position, former: former?.id, left, payer }, signal)
          : { id: former.id, size: former.bytes };
      fileIds.push(taken.id);
      left = { ...left, files: left.files - 1, bytes: left.bytes - taken.size };
    } catch (error) {
      if (!isOfFile(error) || (error instanceof ToolFailure && error.mayPass && mayTryAgain(error))) throw error;
      untaken.push(`${shownName(file)}: ${plainLine(error.message, MAX_REASON)}`);
    }
  }
  return { fileIds, untaken: describe(untaken, unlisted) };
}

// Other errors are not about the file.
function isOfFile(error: unknown): error is Error {
  if (error instanceof AppError) return REFUSALS.has(error.code);
  return error instanceof ToolFailure || error instanceof EmptyFileError;
}

const shownName = ({ name }: SentFile) => plainLine(name, MAX_SHOWN_NAME) || 'a file without a name';

function describe(untaken: readonly string[], unlisted: number): string {
  const named = untaken.slice(0, MAX_NAMED);
  const rest = untaken.length - named.length + unlisted;
  const lines = [...named, ...(rest > 0 ? [`${rest} more`] : [])].map((line) => `\n- ${line}`);
  return lines.length === 0 ? '' : `Files that could not be taken, so that nobody has read them:${lines.join('')}`;
}

/** The room that is left for files of a message, and until when they may be read. */
interface Left {
  readonly files: number;
  readonly bytes: number;
  readonly until: number;
}

interface FileToAdd extends TakenFrom {
  readonly file: SentFile;
  readonly position: number;
  /** The file that it was added as to another chat, or that was deleted; undefined for none. */
  readonly former: string | undefined;
  readonly left: Left;
  readonly payer: Payer;
}

async function addFile(
  deps: ChannelDeps,
  { eventId, thread: { orgId, userId }, chatId, file, position, former, left, payer }: FileToAdd,
  signal: AbortSignal,
): Promise<StoredFile> {
  const { database, orgLimits } = deps;
  const owner = { orgId, userId };
  const maxBytes = Math.min(orgLimits.uploadBytesOfOne, MAX_BYTES_OF_ONE);
  const checkSize = (bytes: number) => {
    if (bytes > maxBytes) throw refusal(`it is larger than ${formatBytes(maxBytes)}`);
    if (bytes > left.bytes) throw refusal(`the files of a message may have ${formatBytes(MAX_BYTES)} together`);
  };
  if (left.files === 0) throw refusal(`a message may have ${MAX_FILES} files`);
  checkSize(file.bytes ?? 0);
  if (performance.now() > left.until) throw new ToolFailure('timeout', 'those before it took too long');
  await requireRoomForUpload(database, owner, { size: file.bytes ?? 1, maxBytes: orgLimits.uploadBytes });
  return runLargeWork(payer, signal, async () => {
    const content = await file.read(maxBytes);
    checkSize(content.length);
    return storeUpload(deps, {
      owner,
      chatId,
      file: { name: file.name, bytes: Readable.from([content]) },
      attach: async (em, fileId) => {
        await noteAddedFile(em, eventId, { position, fileId, former });
        return null;
      },
    });
  });
}

function refusal(words: string): ToolFailure {
  return new ToolFailure('invalid_input', words);
}
