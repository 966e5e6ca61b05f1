import express, { type Request, type Response } from 'express';
import { type BodyLimit, declaredBytes } from '../limits/bodies/body-limit.ts';
import { MAX_BODY_BYTES, toBodyFailure } from './json-body.ts';

const readBytes = express.raw({ limit: MAX_BODY_BYTES, type: () => true, inflate: false });

/** Reads the bytes of a request's body as they were sent, for a route that checks their signature. */
export async function readRawBody(
  request: Request,
  response: Response,
  { limit, sender }: { readonly limit: BodyLimit; readonly sender: string },
): Promise<Buffer> {
  const release = limit.acquire(sender, declaredBytes(request, MAX_BODY_BYTES));
  try {
    await new Promise<void>((resolve, reject) => {
      readBytes(request, response, (error?: unknown) =>
        error === undefined ? resolve() : reject(toBodyFailure(error)),
      );
    });
  } finally {
    release();
  }
  // The reader sets nothing for a request without a body.
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}
