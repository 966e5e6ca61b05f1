import { createHash } from 'node:crypto';
import { inKeyOrder } from '../../../domain/core/objects.ts';
import type { ToolContext } from '../context.ts';
import { CallChanged, type CallDescription, NOTHING_ELSE } from '../tool.ts';

interface DescribableCall {
  readonly describe?: ((context: ToolContext) => Promise<CallDescription>) | undefined;
}

/** Returns what a call would do, as far as its arguments do not say it. */
export async function describeCall(call: DescribableCall, context: ToolContext): Promise<CallDescription> {
  return (await call.describe?.(context)) ?? NOTHING_ELSE;
}

/** Returns the digest of what decides what a call does, whatever the order of names in it. */
export function digestOf({ basis }: CallDescription): string {
  return createHash('sha256')
    .update(JSON.stringify(inKeyOrder(basis ?? null)))
    .digest('base64url');
}

/**
 * Returns the basis of a call, and throws `CallChanged` unless it is the one that was approved. The call is to be made
 * in the same context, which reads nothing twice.
 */
export async function requireApproved(
  call: DescribableCall,
  context: ToolContext,
  approved: string | null,
): Promise<unknown> {
  const description = await describeCall(call, context);
  if (digestOf(description) !== approved) throw new CallChanged(description);
  return description.basis;
}

/** The outcome of a call, and its result for the model. */
export interface CallOutcome {
  /** `unknown`: it ended without saying whether its change was made. */
  readonly status: 'success' | 'error' | 'unknown';
  readonly result: string;
  /** Set when the result holds text from outside. */
  readonly isForeign?: true;
  /** How long the other side asks to wait before the same call, which has changed nothing; absent unless it does. */
  readonly waitMs?: number;
  /** What the call would do now, which is not what a person has approved: it was not made. */
  readonly changed?: CallDescription;
  /** An unexpected error, or that the disk is full, for the log. */
  readonly error?: unknown;
}
