import type { Request } from 'express';
import { AppError } from '../../domain/core/app-error.ts';
import { formatBytes } from '../../domain/core/format-bytes.ts';
import { InvalidRequest } from '../http/problem.ts';

/** Yields the body of a request that is a file as a whole; throws what its sender is told. */
export async function* rawBytes(request: Request, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  if (request.headers['content-encoding'] !== undefined)
    throw new AppError('unsupported_media_type', 'The file must be sent without a content encoding');
  let received = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > maxBytes) throw new AppError('too_large', `A file must not exceed ${formatBytes(maxBytes)}`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new InvalidRequest([{ type: 'invalid_file', loc: ['body'], msg: 'the request was cut off' }]);
  } finally {
    // What still arrives is dropped.
    request.resume();
  }
}
