import type { Delegation } from '../../db/turns/index.ts';
import type { Area } from '../../domain/resources/index.ts';
import type { Effect } from '../../domain/tool-calls/index.ts';
import type { CallOutcome } from './call/call-outcome.ts';
import type { ToolContext } from './context.ts';
import type { ToolFailureClass } from './tool-failure.ts';

/** Arguments of a call: a JSON object that can be stored. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** JSON Schema of a call's arguments, an object. */
export type ToolParameters = Readonly<Record<string, unknown>>;

/** What a call that the worker runs does when it is repeated. */
export type RunEffect = Exclude<Effect, 'agent'>;

/** What a tool returns: text, or any JSON value. */
export interface ToolOutput {
  readonly value: unknown;
  /** Set for content from outside, which the model is told not to take for instructions. */
  readonly isForeign?: boolean;
}

/** Why a call cannot be made, in words that the model can act on. */
export interface CallError {
  readonly error: { readonly kind: ToolFailureClass; readonly message: string };
}

/** A call that can be made. With a delegation it is made by the turn of a sub-agent. */
export interface CallPlan {
  readonly effect: Effect;
  /** What viewers read while it runs. */
  readonly label: string;
  readonly delegation?: Delegation;
}

/** What a call is run with. */
export interface RunOptions {
  /** Aborts when the turn is interrupted, or the worker ends. */
  readonly signal: AbortSignal;
  /** Makes the context whose parts stop with a signal: that of the call, which also aborts when its time is up. */
  readonly contextFor: (signal: AbortSignal) => ToolContext;
  /** Whether an earlier attempt may have done what the call does: when it is not made again, that stays unknown. */
  readonly mayBeDone?: boolean;
  /** Instead of the tool's own time limit. */
  readonly timeoutMs?: number;
}

/** A tool as the turn engine knows it, wherever it comes from. */
export interface Tool {
  readonly key: string;
  /** What it does, in words for the model. */
  readonly description: string;
  readonly parameters: ToolParameters;
  /** Whether a call reaches nothing outside the service and usually takes milliseconds: it needs no activity of its own. */
  readonly inline: boolean;
  /** Set when it works on records: calls that read need the area's `view` key of the user, others its `manage` key. */
  readonly permission?: Area | undefined;
  /** Plans the calls that one reply makes of it, in their order. */
  plan(calls: readonly ToolArguments[]): Promise<readonly (CallPlan | CallError)[]>;
  /** Checks the arguments anew and runs a call; absent for a tool whose calls are turns of sub-agents. */
  run?(args: ToolArguments, options: RunOptions): Promise<CallOutcome>;
}
