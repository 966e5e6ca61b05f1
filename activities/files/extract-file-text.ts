import type { Database } from '../../db/core/database.ts';
import {
  beginExtraction,
  type FileToRead,
  findFileToExtract,
  storeFileFailure,
  storeFileText,
  takeBackExtraction,
} from '../../db/files/texts.ts';
import { CRASH_MS, KeyedSemaphore, type Payer } from '../../domain/core/keyed-semaphore.ts';
import { isPlainText, isReadable } from '../../domain/files.ts';
import { FileGone } from '../../files/file-store.ts';
import type { FileStores } from '../../files/file-stores.ts';
import type { WorkOf } from '../../domain/core/due-work.ts';
import { activityCancellation } from '../core/cancellation.ts';
import { NoFreeSlot } from '../core/failure-interceptor.ts';
import { isPassing, retryWhileDatabaseUnavailable } from '../core/passing-error.ts';
import { decode, extract, type Extraction } from './extraction/extract.ts';

/** The dependencies of extractions. */
export interface ExtractionDeps {
  readonly database: Database;
  readonly files: FileStores;
}

/** How often an extraction is attempted: a file that has killed its worker that often is skipped. */
const MAX_TRIES = 5;

/** Files of up to so many bytes that are text themselves are decoded in the worker, which takes some milliseconds. */
const MAX_SHORT = 1_000_000;

const createError = () => new NoFreeSlot();
// Each is a process that may take a processor for a minute.
const processes = new KeyedSemaphore({ perKey: 1, total: 2, maxWaiting: 4, createError });
// Each keeps a short text in memory until it is stored.
const shortTexts = new KeyedSemaphore({ perKey: 4, total: 16, maxWaiting: 50, createError });

/** Makes the activity that extracts the text of a file and stores it, or why there is none. It may be repeated. */
export function createExtractFileText(deps: ExtractionDeps) {
  return async function extractFileText(file: WorkOf<'file-text'>): Promise<void> {
    await extractText(deps, file, activityCancellation().cancelled);
  };
}

/** Extracts the text of a file when there is a slot for it; throws `NoFreeSlot` when too many of the payer's wait. */
export async function extractText(deps: ExtractionDeps, file: WorkOf<'file-text'>, signal: AbortSignal): Promise<void> {
  const extraction = new FileExtraction(deps, file, signal);
  const slots = (await extraction.isShort()) ? shortTexts : processes;
  const payer = await deps.database.payers.of(file.orgId);
  await slots.run(payer, async () => extraction.run(payer), { signal });
}

/** One extraction of one file. */
class FileExtraction {
  readonly #deps: ExtractionDeps;
  readonly #ref: WorkOf<'file-text'>;
  readonly #signal: AbortSignal;

  constructor(deps: ExtractionDeps, ref: WorkOf<'file-text'>, signal: AbortSignal) {
    this.#deps = deps;
    this.#ref = ref;
    this.#signal = signal;
  }

  /** Whether the text is found without a process. */
  async isShort(): Promise<boolean> {
    const file = await this.#retry(async () => findFileToExtract(this.#deps.database, this.#ref));
    return file === undefined || isShort(file);
  }

  async run(payer: Payer): Promise<void> {
    const { database } = this.#deps;
    const file = await this.#retry(async () => beginExtraction(database, this.#ref));
    if (file === undefined) return;
    const result = await this.#extract(file).catch(async (error: unknown) => {
      if (this.#signal.aborted || isPassing(error))
        await takeBackExtraction(database, this.#ref).catch(() => undefined);
      throw error;
    });
    // Deleted in the meantime, with its record.
    if (result === undefined) return;
    if ('issue' in result && result.hasCrashed === true) processes.charge(payer, CRASH_MS);
    if ('issue' in result) await this.#retry(async () => storeFileFailure(database, this.#ref, result.issue));
    else await this.#retry(async () => storeFileText(database, this.#ref, result));
  }

  async #extract(file: FileToRead): Promise<Extraction | undefined> {
    const { mediaType, size, tries } = file;
    if (!isReadable(mediaType)) return { issue: `Text cannot be extracted from files of the type ${mediaType}` };
    if (tries > MAX_TRIES) return { issue: `Extracting the text was begun ${MAX_TRIES} times and never ended` };
    const range = { start: 0, end: size - 1 };
    try {
      const bytes = this.#deps.files.of(file).read(this.#ref, range);
      return await (isShort(file) ? decode({ mediaType }, bytes) : extract({ mediaType }, bytes, this.#signal));
    } catch (error) {
      if (error instanceof FileGone) return undefined;
      throw error;
    }
  }

  async #retry<T>(work: () => Promise<T>): Promise<T> {
    return retryWhileDatabaseUnavailable(this.#signal, work);
  }
}

function isShort({ mediaType, size }: Pick<FileToRead, 'mediaType' | 'size'>): boolean {
  return isPlainText(mediaType) && size <= MAX_SHORT;
}
