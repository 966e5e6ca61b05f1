import { setTimeout as sleep } from 'node:timers/promises';
import { asData } from './as-data.ts';
import { type HeldResult, holdResult, presentResult } from './present-result.ts';
import { refusal } from '../refusal.ts';
import type { Tool } from '../registry.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { ToolArguments, ToolContext } from '../tool.ts';

/** How a call ended, and what the model is told. */
export interface CallOutcome {
  /** `unknown`: it ended without saying whether it had done what changes something. */
  readonly status: 'success' | 'error' | 'unknown';
  readonly result: string;
  /** Set when the result holds text from outside. */
  readonly isForeign?: true;
  /** What was thrown, for the log, when it is nothing that a tool is expected to throw. */
  readonly error?: unknown;
}

/** How long a tool that was told to stop may take to do so before it is left alone. */
const GRACE_MS = 100;

type Ending = { readonly held: HeldResult } | { readonly error: unknown };

/**
 * Runs a tool within its time and answers how it ended; also for tools that fail or take no notice of being stopped.
 * Throws the signal's reason when it has aborted, unless the tool had done its work by then.
 */
export async function runToolCall(
  tool: Tool,
  args: ToolArguments,
  context: ToolContext,
  options: { readonly timeoutMs?: number } = {},
): Promise<CallOutcome> {
  context.signal.throwIfAborted();
  const timeoutMs = options.timeoutMs ?? tool.definition.timeoutSeconds * 1000;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new ToolFailure('timeout', 'The time is up')), timeoutMs);
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  try {
    const ending = await endingOf(tool, args, { ...context, signal });
    if ('held' in ending) return await succeeded(ending.held, context);
    context.signal.throwIfAborted();
    if (timeout.signal.aborted) return timedOut(tool, args, timeoutMs, context);
    if (ending.error instanceof ToolFailure) return failed(ending.error, context);
    return { ...failed(new ToolFailure('upstream', 'The tool broke down'), context), error: ending.error };
  } finally {
    clearTimeout(timer);
  }
}

async function endingOf({ implementation }: Tool, args: ToolArguments, context: ToolContext): Promise<Ending> {
  // Started in a promise, so that one that throws at once ends like one that rejects. What it answers may be large and is
  // held by nobody from then on.
  const ending: Promise<Ending> = Promise.resolve()
    .then(async () => implementation.run(args, context))
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

async function succeeded(held: HeldResult, context: ToolContext): Promise<CallOutcome> {
  const result = await presentResult(held, context);
  return { status: 'success', result, ...(held.isForeign ? { isForeign: true } : {}) };
}

function failed({ kind, message, isUncertain, isForeign }: ToolFailure, context: ToolContext): CallOutcome {
  const words = isUncertain ? `${message}; it may or may not have taken effect` : message;
  const told = { status: isUncertain ? ('unknown' as const) : ('error' as const), result: refusal(kind, words) };
  return isForeign ? { ...told, result: asData(told.result, context.idempotencyKey), isForeign } : told;
}

function timedOut(
  { definition, implementation }: Tool,
  args: ToolArguments,
  timeoutMs: number,
  context: ToolContext,
): CallOutcome {
  const message = `${definition.key} took longer than ${timeoutMs / 1000} seconds and was stopped`;
  const effect = implementation.effectOf?.(args) ?? definition.effect;
  return failed(new ToolFailure('timeout', message, { isUncertain: effect !== 'read' }), context);
}
