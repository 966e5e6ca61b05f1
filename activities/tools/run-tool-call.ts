import { setTimeout as sleep } from 'node:timers/promises';
import { presentResult } from './present-result.ts';
import { refusal } from './refusal.ts';
import type { Tool } from './registry.ts';
import { ToolFailure } from './tool-failure.ts';
import type { ToolArguments, ToolContext, ToolOutput } from './tool.ts';

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

type Ending = { readonly output: ToolOutput } | { readonly error: unknown };

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
    if ('output' in ending) return await succeeded(ending.output, context);
    context.signal.throwIfAborted();
    if (timeout.signal.aborted) return timedOut(tool, args, timeoutMs);
    if (ending.error instanceof ToolFailure) return failed(ending.error);
    return { ...failed(new ToolFailure('upstream', 'The tool broke down')), error: ending.error };
  } finally {
    clearTimeout(timer);
  }
}

async function endingOf({ implementation }: Tool, args: ToolArguments, context: ToolContext): Promise<Ending> {
  // Started in a promise, so that one that throws at once ends like one that rejects.
  const work = Promise.resolve().then(() => implementation.run(args, context));
  const ending: Promise<Ending> = work.then(
    (output) => ({ output }),
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

async function succeeded(output: ToolOutput, context: ToolContext): Promise<CallOutcome> {
  const result = await presentResult(output, context);
  return { status: 'success', result, ...(output.isUntrusted === true ? { isForeign: true } : {}) };
}

function failed({ kind, message, isUncertain }: ToolFailure): CallOutcome {
  if (!isUncertain) return { status: 'error', result: refusal(kind, message) };
  return { status: 'unknown', result: refusal(kind, `${message}; it may or may not have taken effect`) };
}

function timedOut({ definition, implementation }: Tool, args: ToolArguments, timeoutMs: number): CallOutcome {
  const message = `${definition.key} took longer than ${timeoutMs / 1000} seconds and was stopped`;
  const effect = implementation.effectOf?.(args) ?? definition.effect;
  return failed(new ToolFailure('timeout', message, { isUncertain: effect !== 'read' }));
}
