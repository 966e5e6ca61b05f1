import type { Database } from '../../db/core/index.ts';
import {
  beginExtraction,
  type FileToRead,
  storeFileFailure,
  storeFileText,
  takeBackExtraction,
} from '../../db/files/index.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { FileGone, type FileStores } from '../../files/index.ts';
import type { ExtractTextInput } from '../../workflows/files/contract.ts';
import { activityCancellation } from '../core/cancellation.ts';
import { NoPlace } from '../core/failure-interceptor.ts';
import { isPassing } from '../core/passing-error.ts';
import { retryWhileDatabaseUnavailable } from '../core/retry-while-database-unavailable.ts';
import { withHeartbeat } from '../core/with-heartbeat.ts';
import { extract, type Extraction } from './extraction/extract.ts';
import { isReadable } from './extraction/readable-types.ts';

/** The dependencies of extractions. */
export interface ExtractionDeps {
  readonly database: Database;
  readonly files: FileStores;
}

/** How often an extraction is begun: a file that has ended its worker so often is given up. */
const MAX_TRIES = 5;

// Each is a process that may take a processor for a minute.
const places = new KeyedSemaphore({ perKey: 1, total: 2, maxWaiting: 4, createError: () => new NoPlace() });

/** Makes the activity that extracts the text of a file and stores it, or why there is none. It may be repeated. */
export function createExtractFileText(deps: ExtractionDeps) {
  return async function extractFileText({ orgId, fileId }: ExtractTextInput): Promise<void> {
    const { cancelled } = activityCancellation();
    await withHeartbeat(async () =>
      places.hold(orgId, async () => new FileExtraction(deps, { orgId, fileId }, cancelled).run(), {
        signal: cancelled,
      }),
    );
  };
}

/** One extraction of one file. */
class FileExtraction {
  readonly #deps: ExtractionDeps;
  readonly #ref: ExtractTextInput;
  readonly #signal: AbortSignal;

  constructor(deps: ExtractionDeps, ref: ExtractTextInput, signal: AbortSignal) {
    this.#deps = deps;
    this.#ref = ref;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { database } = this.#deps;
    const file = await this.#retry(async () => beginExtraction(database, this.#ref));
    if (file === undefined) return;
    const result = await this.#extract(file).catch(async (error: unknown) => {
      if (this.#signal.aborted || isPassing(error))
        await takeBackExtraction(database, this.#ref).catch(() => undefined);
      throw error;
    });
    // Deleted meanwhile, and its record with it.
    if (result === undefined) return;
    if ('issue' in result) await this.#retry(async () => storeFileFailure(database, this.#ref, result.issue));
    else await this.#retry(async () => storeFileText(database, this.#ref, result));
  }

  async #extract(file: FileToRead): Promise<Extraction | undefined> {
    const { mediaType, size, tries } = file;
    if (!isReadable(mediaType)) return { issue: `Text cannot be extracted from files of the type ${mediaType}` };
    if (tries > MAX_TRIES) return { issue: `Extracting the text was begun ${MAX_TRIES} times and never ended` };
    const range = { start: 0, end: size - 1 };
    try {
      return await extract({ mediaType }, this.#deps.files.of(file).read(this.#ref, range), this.#signal);
    } catch (error) {
      if (error instanceof FileGone) return undefined;
      throw error;
    }
  }

  async #retry<T>(work: () => Promise<T>): Promise<T> {
    return retryWhileDatabaseUnavailable(this.#signal, work);
  }
}
