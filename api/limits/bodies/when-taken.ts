import type { Response } from 'express';

/** How long to wait for the reader of a response, in milliseconds. */
const MAX_WAIT_MS = 5_000;

/** Resolves when the network has taken a response, when its reader has disconnected, or when that takes too long. */
export async function whenTaken(response: Response): Promise<void> {
  if (response.writableLength === 0 || response.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, MAX_WAIT_MS);
  response.once('finish', resolve).once('close', resolve);
  await promise;
  clearTimeout(timer);
  response.off('finish', resolve).off('close', resolve);
}
