import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

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
export function decodeBody(body: Readable, encoding: string): Readable {
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
