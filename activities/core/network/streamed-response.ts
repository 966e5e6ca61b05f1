import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** A body that is read as it arrives, once. One that is not read to its end must be cancelled. */
export interface ResponseBody {
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined>;
  /** Drops the rest; the connection is closed unless the whole body had arrived. */
  cancel(): Promise<void>;
}

/** A response with any status, once its headers are there. The one of a `fetch` is one, too. */
export interface StreamedResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: { get(name: string): string | null };
  readonly body: ResponseBody | null;
}

/** A response as undici gives it, with the headers by name in lower case. */
interface UndiciResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

/** Makes the response of what undici gives. Throws when the body is encoded in a way that is not supported. */
export function toStreamedResponse({ statusCode, headers, body }: UndiciResponse): StreamedResponse {
  const get = (name: string) => headers[name]?.toString() ?? null;
  return { status: statusCode, headers: { get }, body: toBody(decodeBody(body, get('content-encoding') ?? '')) };
}

function toBody(stream: Readable): ResponseBody {
  // Who reads the body sees how it fails; nobody does once it was cancelled.
  stream.on('error', () => undefined);
  return {
    [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>,
    cancel: async () => void stream.destroy(),
  };
}

// RFC 9110, section 8.4.1. Some servers compress whatever they were asked for.
const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/**
 * Returns the body as it was before its `Content-Encoding`, decoded as it arrives. Throws for an unknown one, and for
 * several on top of each other, which only serve to make much of little.
 */
function decodeBody(body: Readable, encoding: string): Readable {
  const coding = encoding.trim().toLowerCase();
  if (coding === '' || coding === 'identity') return body;
  const createDecoder = DECODERS.get(coding);
  if (createDecoder === undefined) {
    body.on('error', () => undefined).destroy();
    throw new Error('its answer is encoded in a way that is not supported');
  }
  // Who reads the decoded body sees the failure of either.
  return pipeline(body, createDecoder(), () => undefined);
}
