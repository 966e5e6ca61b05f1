import type { Response } from 'express';

/** How long somebody waits for the reader of an answer, in milliseconds. */
const MAX_WAIT_MS = 5_000;

/** Resolves when the network has taken an answer, when its reader has gone, or when that takes too long. */
export async function whenTaken(response: Response): Promise<void> {
  if (response.writableLength === 0 || response.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MAX_WAIT_MS);
  response.once('finish', resolve).once('close', resolve);
  await promise;
  clearTimeout(timer);
  response.off('finish', resolve).off('close', resolve);
}
