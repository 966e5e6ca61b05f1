import { KeyedSemaphore, type Payer } from '../../domain/core/keyed-semaphore.ts';
import { ToolFailure } from './tool-failure.ts';

// Keyed by payer.
const slots = new KeyedSemaphore({
  perKey: 1,
  total: 3,
  maxWaiting: 50,
  createError: () =>
    new ToolFailure('rate_limited', 'Too many large files of your organization are being worked on; try again later'),
});

/**
 * Runs work of a call that holds tens of megabytes in the worker. One of a payer is at work, three of all; the others
 * wait their turn and hold nothing yet.
 */
export async function runLargeWork<T>(payer: Payer, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return slots.hold(payer, work, { signal });
}
