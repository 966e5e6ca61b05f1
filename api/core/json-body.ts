import express, { type Request, type Response } from 'express';
import { AppError } from '../../domain/core/app-error.ts';
import { InvalidRequest } from './problem.ts';

const MAX_BODY = '1mb';
const parse = express.json({ limit: MAX_BODY, strict: false, type: 'application/json' });

/**
 * Reads the request's JSON body; `undefined` when it has none. Called after the caller was let in, so that a stranger
 * cannot make the service read anything.
 */
export async function readJsonBody(request: Request, response: Response): Promise<unknown> {
  if (request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0)
    return undefined;
  if (request.is('application/json') === false) {
    throw new AppError('unsupported_media_type', 'The body must be sent as application/json');
  }
  await new Promise<void>((resolve, reject) => {
    parse(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(toFailure(error))));
  });
  return request.body as unknown;
}

function toFailure(error: unknown): Error {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return new AppError('too_large', 'The body must not exceed 1 MB', { cause: error });
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return new AppError('unsupported_media_type', 'The body must be UTF-8, sent as it is or with gzip', {
        cause: error,
      });
    default:
      return new InvalidRequest([{ type: 'json_invalid', loc: ['body'], msg: 'the body is not valid JSON' }]);
  }
}
