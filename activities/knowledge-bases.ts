import type { Database } from '../db/core/database.ts';
import { findTextState, readTextChunk } from '../db/files/texts.ts';
import {
  beginReading,
  type DocumentToRead,
  failReading,
  postponeReading,
  takeBackReading,
} from '../db/knowledge-bases/documents.ts';
import { storePassages } from '../db/knowledge-bases/store-passages.ts';
import { AppError } from '../domain/core/app-error.ts';
import type { WorkOf } from '../domain/core/due-work.ts';
import { KeyedSemaphore } from '../domain/core/keyed-semaphore.ts';
import { formatBytes, toShowable, toStorableText } from '../domain/core/text.ts';
import { isReadable } from '../domain/files.ts';
import type { OrgLimits } from '../domain/orgs.ts';
import { activityCancellation } from './core/cancellation.ts';
import { NoFreeSlot } from './core/failure-interceptor.ts';
import { type GuardedHttp, type GuardedResponse, HttpFailure } from './core/network/guarded-http.ts';
import { isPassing, retryWhileDatabaseUnavailable } from './core/passing-error.ts';
import { extract } from './files/extraction/extract.ts';

/** The dependencies of what reads documents. */
export interface KnowledgeDeps {
  readonly database: Database;
  readonly http: GuardedHttp;
  readonly limits: OrgLimits;
}

/**
 * How often reading a document is attempted: one that has killed its worker that often, or is not there, is skipped.
 */
const MAX_TRIES = 5;

// Each may fetch a page, and extract its text in a process that takes a processor for a minute.
const slots = new KeyedSemaphore({ perKey: 2, total: 4, maxWaiting: 8, createError: () => new NoFreeSlot() });

/** How long a document waits for the text of its file, in milliseconds, between two checks whether it is there. */
const FILE_WAIT_MS = 3_000;

/**
 * Makes the activity that reads a document and stores its passages, or why there are none. It may be repeated. Returns
 * in how many milliseconds the document is to be read again, or null when that has ended.
 */
export function createReadKnowledgeDocument(deps: KnowledgeDeps) {
  return async function readKnowledgeDocument(document: WorkOf<'document'>): Promise<number | null> {
    const { cancelled } = activityCancellation();
    const payer = await deps.database.payers.of(document.orgId);
    return slots.run(payer, async () => read(deps, document, cancelled), { signal: cancelled });
  };
}

async function read(deps: KnowledgeDeps, ref: WorkOf<'document'>, signal: AbortSignal): Promise<number | null> {
  const { database, limits } = deps;
  const retry = async <T>(work: () => Promise<T>) => retryWhileDatabaseUnavailable(signal, work);
  const document = await retry(async () => beginReading(database, ref));
  if (document === undefined) return null;
  try {
    const text = await textOf(deps, { ref, document, signal });
    if (toShowable(text).trim() === '') throw new DocumentFault('It contains no text');
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

/** A document without readable text; the message says why, for a person. */
class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
}

/** The text of a file is still being extracted. */
class NoTextYet extends Error {
  override readonly name = 'NoTextYet';
}

/** Returns the text of an uploaded file; throws `DocumentFault` when it has none, `NoTextYet` while it has none. */
async function textOfFile(
  database: Database,
  file: { readonly orgId: string; readonly fileId: string },
  signal: AbortSignal,
): Promise<string> {
  const retry = async <T>(work: () => Promise<T>) => retryWhileDatabaseUnavailable(signal, work);
  const state = await retry(async () => findTextState(database, file));
  if (state === undefined) throw new DocumentFault('The file was deleted before it was read');
  if (state.status === 'pending') throw new NoTextYet();
  if (state.textCharacters === null) throw new DocumentFault(state.error ?? 'The file has no text');
  const chunks: string[] = [];
  for (let seq = 0; ; seq += 1) {
    const chunk = await retry(async () => readTextChunk(database, file, seq));
    if (chunk === undefined) return chunks.join('');
    chunks.push(chunk);
  }
}

/** A page could not be fetched now, and may be later; the message says why, for a person. */
class PageAway extends Error {
  override readonly name = 'PageAway';
}

const MAX_BYTES = 10 * 1024 ** 2;
const TIMEOUT_MS = 30_000;
const ACCEPT = 'text/html, text/markdown, text/plain, application/pdf, */*;q=0.5';
const BUSY: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Fetches what lies at a public address and returns its text; throws `DocumentFault` or `PageAway`. */
async function textOfPage(http: GuardedHttp, url: string, signal: AbortSignal): Promise<string> {
  const answer = await fetchPage(http, url, signal);
  if (BUSY.has(answer.status)) throw new PageAway(`The address answers with status ${answer.status}`);
  if (answer.status !== 200) throw new DocumentFault(`The address answers with status ${answer.status}`);
  if (answer.isTruncated) throw new DocumentFault(`What lies at the address is larger than ${formatBytes(MAX_BYTES)}`);
  const mediaType = mediaTypeOf(answer);
  if (!isReadable(mediaType)) throw new DocumentFault(`Text cannot be extracted from pages of the type ${mediaType}`);
  const extraction = await extract(
    { mediaType, contentType: answer.headers.get('content-type') ?? mediaType },
    bytesOf(answer),
    signal,
  );
  if ('issue' in extraction) throw new DocumentFault(extraction.issue);
  return toStorableText(extraction.text);
}

async function fetchPage(http: GuardedHttp, url: string, signal: AbortSignal): Promise<GuardedResponse> {
  try {
    return await http.request({
      url,
      method: 'GET',
      headers: { accept: ACCEPT },
      followRedirects: true,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      signal,
    });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    const { kind, message } = error;
    if (kind === 'timeout' || kind === 'upstream') throw new PageAway(message, { cause: error });
    throw new DocumentFault(message, { cause: error });
  }
}

const DERIVED = /^application\/[\w.-]{1,100}\+(?<base>json|xml)$/;

// A type that is derived from another one, like those of feeds, is read as that one. The type is part of a message for
// people, so it is shown only where it is well-formed.
function mediaTypeOf({ headers }: GuardedResponse): string {
  const type = (headers.get('content-type') ?? 'text/html').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/xhtml+xml') return 'text/html';
  const base = DERIVED.exec(type)?.groups?.['base'];
  if (base !== undefined) return `application/${base}`;
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type) ? type : 'application/octet-stream';
}

async function* bytesOf({ body }: GuardedResponse): AsyncGenerator<Buffer, void, undefined> {
  yield body;
}
