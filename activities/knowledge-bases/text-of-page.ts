import { formatBytes } from '../../domain/core/format-bytes.ts';
import { toStorableText } from '../../domain/core/text.ts';
import { isReadable } from '../../domain/files/index.ts';
import { type GuardedHttp, type GuardedResponse, HttpFailure } from '../core/network/guarded-http.ts';
import { extract } from '../files/index.ts';
import { DocumentFault } from './text-of-file.ts';

/** A page could not be fetched now, and may be later; the message says why, for a person. */
export class PageAway extends Error {
  override readonly name = 'PageAway';
}

const MAX_BYTES = 10 * 1024 ** 2;
const TIMEOUT_MS = 30_000;
const ACCEPT = 'text/html, text/markdown, text/plain, application/pdf, */*;q=0.5';
const BUSY: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Fetches what lies at a public address and returns its text; throws `DocumentFault` or `PageAway`. */
export async function textOfPage(http: GuardedHttp, url: string, signal: AbortSignal): Promise<string> {
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

// The type goes into a message for people, so it is shown only where it looks like one.
function mediaTypeOf({ headers }: GuardedResponse): string {
  const type = (headers.get('content-type') ?? 'text/html').split(';')[0]?.trim().toLowerCase() ?? '';
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(type) ? type : 'application/octet-stream';
}

async function* bytesOf({ body }: GuardedResponse): AsyncGenerator<Buffer, void, undefined> {
  yield body;
}
