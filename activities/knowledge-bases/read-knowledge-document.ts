import type { Database } from '../../db/core/index.ts';
import {
  beginReading,
  type DocumentToRead,
  failReading,
  postponeReading,
  storePassages,
  takeBackReading,
} from '../../db/knowledge-bases/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { toShowable } from '../../domain/core/text.ts';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';
import type { WorkOf } from '../../domain/core/due-work.ts';
import { activityCancellation } from '../core/cancellation.ts';
import { NoPlace } from '../core/failure-interceptor.ts';
import type { GuardedHttp } from '../core/network/guarded-http.ts';
import { isPassing } from '../core/passing-error.ts';
import { retryWhileDatabaseUnavailable } from '../core/retry-while-database-unavailable.ts';
import { withHeartbeat } from '../core/with-heartbeat.ts';
import { DocumentFault, NoTextYet, textOfFile } from './text-of-file.ts';
import { PageAway, textOfPage } from './text-of-page.ts';

/** The dependencies of what reads documents. */
export interface KnowledgeDeps {
  readonly database: Database;
  readonly http: GuardedHttp;
  readonly limits: OrgLimits;
}

/** How often reading a document is begun: one that has ended its worker so often, or is not there, is given up. */
const MAX_TRIES = 5;

// Each may fetch a page, and extract its text in a process that takes a processor for a minute.
const places = new KeyedSemaphore({ perKey: 2, total: 4, maxWaiting: 8, createError: () => new NoPlace() });

/** How long a document waits for the text of its file, in milliseconds, until somebody looks whether it is there. */
const FILE_WAIT_MS = 3_000;

/**
 * Makes the activity that reads a document and stores its passages, or why there are none. It may be repeated. Returns
 * in how many milliseconds the document is to be read again, or null when that has ended.
 */
export function createReadKnowledgeDocument(deps: KnowledgeDeps) {
  return async function readKnowledgeDocument(document: WorkOf<'document'>): Promise<number | null> {
    const { cancelled } = activityCancellation();
    return withHeartbeat(async () =>
      places.hold(await deps.database.payers.of(document.orgId), async () => read(deps, document, cancelled), {
        signal: cancelled,
      }),
    );
  };
}

async function read(deps: KnowledgeDeps, ref: WorkOf<'document'>, signal: AbortSignal): Promise<number | null> {
  const { database, limits } = deps;
  const retry = async <T>(work: () => Promise<T>) => retryWhileDatabaseUnavailable(signal, work);
  const document = await retry(async () => beginReading(database, ref));
  if (document === undefined) return null;
  try {
    const text = await textOf(deps, { ref, document, signal });
    if (toShowable(text).trim() === '') throw new DocumentFault('It holds no text');
    await retry(async () => storePassages(database, ref, text, limits));
  } catch (error) {
    const fault = faultOf(error, document);
    if (fault !== undefined) await retry(async () => failReading(database, ref, fault));
    else if (error instanceof NoTextYet) {
      await retry(async () => postponeReading(database, ref));
      return FILE_WAIT_MS;
    } else {
      const isOver = signal.aborted || isPassing(error);
      if (isOver && !(error instanceof PageAway)) await takeBackReading(database, ref).catch(() => undefined);
      throw error;
    }
  }
  return null;
}

interface Reading {
  readonly ref: WorkOf<'document'>;
  readonly document: DocumentToRead;
  readonly signal: AbortSignal;
}

async function textOf(deps: KnowledgeDeps, { ref, document, signal }: Reading): Promise<string> {
  const { fileId, url, text, tries } = document;
  if (tries > MAX_TRIES) throw new DocumentFault(`Reading it was begun ${MAX_TRIES} times and never ended`);
  if (fileId !== null) return textOfFile(deps.database, { orgId: ref.orgId, fileId }, signal);
  return text ?? textOfPage(deps.http, url ?? '', signal);
}

// The words for people of what no further try changes.
function faultOf(error: unknown, { tries }: DocumentToRead): string | undefined {
  if (error instanceof DocumentFault) return error.message;
  if (error instanceof PageAway && tries >= MAX_TRIES) return error.message;
  return error instanceof AppError && error.code === 'conflict' ? error.message : undefined;
}
