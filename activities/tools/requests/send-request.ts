import { setTimeout as sleep } from 'node:timers/promises';
import { retryAfterMs } from '../../../domain/network/index.ts';
import { type GuardedResponse, HttpFailure, type ToolContext } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { RunEffect } from '../tool.ts';
import type { BuiltRequest } from './built-request.ts';

/** The pauses before a harmless or keyed request is sent again. */
const RETRY_AFTER_MS = [500, 2_000];

/** A response, and whether the request had been sent before. */
export interface SentResponse extends GuardedResponse {
  readonly isResent: boolean;
}

const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Sends a request, and again where that is harmless and may help. Throws `ToolFailure` when it brought no response. */
export async function sendRequest(
  request: BuiltRequest,
  effect: RunEffect,
  context: Pick<ToolContext, 'http' | 'signal'>,
): Promise<SentResponse> {
  try {
    return await send(request, context, effect === 'once' ? [] : RETRY_AFTER_MS);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    const isUncertain = effect !== 'read' && error.mayHaveArrived;
    throw new ToolFailure(error.kind, error.message, { cause: error, isUncertain });
  }
}

async function send(
  request: BuiltRequest,
  { http, signal }: Pick<ToolContext, 'http' | 'signal'>,
  waits: readonly number[],
): Promise<SentResponse> {
  const deadline = performance.now() + request.timeoutMs;
  for (const [tries, waitMs] of waits.entries()) {
    const outcome = await tryOnce(() => http.request({ ...request, signal }));
    const pauseMs = outcome instanceof HttpFailure ? waitMs : Math.max(waitMs, retryAfterMs(outcome.headers) ?? 0);
    if (!isPassing(outcome) || performance.now() + pauseMs > deadline) {
      if (outcome instanceof HttpFailure) throw outcome;
      return { ...outcome, isResent: tries > 0 };
    }
    await sleep(pauseMs, undefined, { signal });
  }
  const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
  const response = await http.request({ ...request, timeoutMs, signal });
  return { ...response, isResent: waits.length > 0 };
}

async function tryOnce(work: () => Promise<GuardedResponse>): Promise<GuardedResponse | HttpFailure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpFailure) return error;
    throw error;
  }
}

// A lost connection, or a response that asks for a retry.
function isPassing(outcome: GuardedResponse | HttpFailure): boolean {
  if (outcome instanceof HttpFailure) return outcome.kind === 'upstream' && outcome.mayHaveArrived;
  return PASSING.has(outcome.status);
}
