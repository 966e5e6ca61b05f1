import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../domain/core/app-error.ts';
import { MAY_HAVE_TAKEN_EFFECT } from '../../../domain/tool-calls/index.ts';
import { DatabaseAway } from '../../core/retry-while-database-unavailable.ts';
import type { ToolContext } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import { CallChanged, type CallDescription, type RunEffect, type RunOptions, type ToolOutput } from '../tool.ts';
import { requireApproved } from './approved-call.ts';
import { asData } from './as-data.ts';
import type { CallOutcome } from './call-outcome.ts';
import { isDiskFull, knownFailureOf } from './known-failure.ts';
import { type HeldResult, holdResult, presentResult } from './present-result.ts';
import { toolError } from './tool-error.ts';

/** A call with valid arguments. */
export interface PreparedCall {
  readonly key: string;
  readonly effect: RunEffect;
  readonly timeoutSeconds: number;
  /** See `Tool.describe`. */
  readonly describe?: ((context: ToolContext) => Promise<CallDescription>) | undefined;
  /** Runs it; with the basis that a person has approved, where they had to: see `CallDescription`. */
  readonly run: (context: ToolContext, approvedBasis?: unknown) => Promise<ToolOutput>;
}

/** How long a tool that was told to stop may take before it is abandoned. */
const GRACE_MS = 100;

type CallEnding = { readonly held: HeldResult } | { readonly error: unknown };

/**
 * Runs a call within its time limit and returns its outcome, even for tools that throw or ignore the signal. Throws the
 * signal's reason when it has aborted, unless the tool had finished by then, and `DatabaseAway`: what has become of the
 * call then is for the next attempt to say, as after a crash.
 */
export async function executeCall(
  call: PreparedCall,
  { signal: stopped, contextFor, approved, timeoutMs = call.timeoutSeconds * 1000 }: RunOptions,
): Promise<CallOutcome> {
  stopped.throwIfAborted();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new ToolFailure('timeout', 'The time is up')), timeoutMs);
  const context = contextFor(AbortSignal.any([stopped, timeout.signal]));
  try {
    const ending = await endingOf(call, context, approved);
    if ('held' in ending) return await succeeded(ending.held, context);
    stopped.throwIfAborted();
    if (timeout.signal.aborted) return timedOut(call, timeoutMs, context);
    if (ending.error instanceof DatabaseAway) throw ending.error;
    if (ending.error instanceof CallChanged) return changed(ending.error);
    return failedWith(call, ending.error, context);
  } finally {
    clearTimeout(timer);
  }
}

async function endingOf(
  call: PreparedCall,
  context: ToolContext,
  approved: RunOptions['approved'],
): Promise<CallEnding> {
  // Started in a promise, so that a tool that throws synchronously ends like one that rejects. Its output may be large
  // and is not held any longer.
  const ending: Promise<CallEnding> = Promise.resolve()
    .then(async () => {
      if (approved === undefined) return call.run(context);
      return call.run(context, await requireApproved(call, context, approved));
    })
    .then(
      (output) => ({ held: holdResult(output, context.idempotencyKey) }),
      (error: unknown) => ({ error }),
    );
  const { promise: stopped, resolve: stop } = Promise.withResolvers<undefined>();
  const onAbort = () => stop(undefined);
  context.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const first = await Promise.race([ending, stopped]);
    if (first !== undefined) return first;
    return await Promise.race([ending, sleep(GRACE_MS, { error: context.signal.reason as unknown }, { ref: false })]);
  } finally {
    context.signal.removeEventListener('abort', onAbort);
  }
}

function changed({ description }: CallChanged): CallOutcome {
  const message = 'The call changed after a person approved it, so it was not made';
  return { status: 'error', result: toolError('denied', message), changed: description };
}

async function succeeded(held: HeldResult, context: ToolContext): Promise<CallOutcome> {
  const result = await presentResult(held, context);
  return { status: 'success', result, ...(held.isForeign ? { isForeign: true } : {}) };
}

function failedWith({ effect }: PreparedCall, error: unknown, context: ToolContext): CallOutcome {
  const known = knownFailureOf(error, { onlyReads: effect === 'read' });
  const told = failed(known ?? new ToolFailure('upstream', 'The tool failed because of an internal error'), context);
  const isExpected = error instanceof ToolFailure || error instanceof AppError;
  return isExpected && !isDiskFull(error) ? told : { ...told, error };
}

function failed({ kind, message, isUncertain, isForeign, waitMs }: ToolFailure, context: ToolContext): CallOutcome {
  const words = isUncertain ? `${message}; it ${MAY_HAVE_TAKEN_EFFECT}` : message;
  const told: CallOutcome = {
    status: isUncertain ? 'unknown' : 'error',
    result: toolError(kind, words),
    ...(waitMs !== undefined && !isUncertain && { waitMs }),
  };
  return isForeign ? { ...told, result: asData(told.result, context.idempotencyKey), isForeign } : told;
}

function timedOut({ key, effect }: PreparedCall, timeoutMs: number, context: ToolContext): CallOutcome {
  const message = `${key} took longer than ${timeoutMs / 1000} seconds and was stopped`;
  return failed(new ToolFailure('timeout', message, { isUncertain: effect !== 'read' }), context);
}
