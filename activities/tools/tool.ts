import type { Delegation, PlannedQuestion } from '../../db/turns/steps/store-step.ts';
import type { ApprovalMode, CallDetail } from '../../domain/approvals.ts';
import type { Area } from '../../domain/resources.ts';
import type { Effect } from '../../domain/tool-calls/tool-call.ts';
import type { CallOutcome } from './call/execute-call.ts';
import type { ToolContext } from './context.ts';
import type { ToolFailureClass } from './tool-failure.ts';

/** The arguments of a call: a storable JSON object. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The JSON Schema of a call's arguments, an object. */
export type ToolParameters = Readonly<Record<string, unknown>>;

/** The effect of repeating a call that the worker runs. */
export type RunEffect = Exclude<Effect, 'agent'>;

/** A tool's output: text, or any JSON value. */
export interface ToolOutput {
  readonly value: unknown;
  /** Set for a text that is the JSON of a value. */
  readonly isJson?: boolean;
  /** A note to the model beside the value, such as that the encoding of a file is uncertain. */
  readonly notice?: string | undefined;
  /** Set for content from outside, which is marked for the model as no instructions. */
  readonly isForeign?: boolean;
}

/** Why a call cannot be made, in words that help the model to correct it. */
export interface CallError {
  readonly error: { readonly kind: ToolFailureClass; readonly message: string };
}

/** A call that can be made. With a delegation, a sub-agent's turn makes it; with a question, the person who answers. */
export interface CallPlan {
  readonly effect: Effect;
  /** The label for viewers while it runs. */
  readonly label: string;
  readonly delegation?: Delegation;
  /** A question that waits for its answer until a deadline, whatever the agent says of approvals. */
  readonly question?: PlannedQuestion & { readonly deadline: Date };
  /** When it waits for a person's decision, where its agent says nothing of the tool. */
  readonly approval?: ApprovalMode | undefined;
}

/** The effect of a call, as far as its arguments do not say it. */
export interface CallDescription {
  /** Text for people, without secrets. Long values are cut where they are stored. */
  readonly details: readonly CallDetail[];
  /**
   * Whatever decides what the call does and can change by itself, such as the address of an integration: a JSON value
   * that is compared, and shown to nobody. Approval is requested again for an approved call whose basis has changed.
   */
  readonly basis: unknown;
}

/** Describes a call whose arguments say all. */
export const NOTHING_ELSE: CallDescription = { details: [], basis: null };

/** An approved call that would not do what was approved any more; it was not made. */
export class CallChanged extends Error {
  override readonly name = 'CallChanged';
  readonly description: CallDescription;

  constructor(description: CallDescription) {
    super('the call would not do what was approved');
    this.description = description;
  }
}

/** The options for running a call. */
export interface RunOptions {
  /** Aborts when the turn is interrupted, or the worker ends. */
  readonly signal: AbortSignal;
  /** Makes the context whose parts stop with a signal: that of the call, which also aborts when its time is up. */
  readonly contextFor: (signal: AbortSignal) => ToolContext;
  /**
   * The digest of the basis that a person has approved; absent for a call that needed no decision. A call with another
   * one is not made: its outcome describes it as it is now.
   */
  readonly approved?: string | null;
  /** Replaces the tool's own time limit. */
  readonly timeoutMs?: number;
}

/** A tool as the turn engine knows it, from any source. */
export interface Tool {
  readonly key: string;
  /** Its description for the model. */
  readonly description: string;
  /** The JSON Schema of its arguments for the model. */
  readonly parameters: ToolParameters;
  /** The JSON Schema that arguments are checked by, where that is another one. */
  readonly checkedBy?: ToolParameters | undefined;
  /** The key by which agents list it, where that is another one. */
  readonly listedAs?: string | undefined;
  /**
   * Whether a call reaches nothing outside the service and usually takes milliseconds: it needs no activity of its own.
   */
  readonly inline: boolean;
  /** Set when each call is one command in the sandbox, none of whose processes outlives the worker. */
  readonly runsCommand?: boolean | undefined;
  /** Set when it works on records: calls that read need the area's `view` key of the user, others its `manage` key. */
  readonly permission?: Area | undefined;
  /** Set when it only describes the agent's tools: its calls wait for nobody's decision. */
  readonly isAboutTools?: boolean;
  /** Plans the calls of it in one reply, in their order. */
  plan(calls: readonly ToolArguments[]): Promise<readonly (CallPlan | CallError)[]>;
  /**
   * Describes a call that waits for a person's decision, and again before it is run once it is approved; it changes
   * nothing. Absent for a tool whose arguments say all. Throws `ToolFailure` when it cannot.
   */
  describe?(args: ToolArguments, context: ToolContext): Promise<CallDescription>;
  /** Validates the arguments again and runs a call; absent for a tool whose calls sub-agents or people answer. */
  run?(args: ToolArguments, options: RunOptions): Promise<CallOutcome>;
  /**
   * Cancels the outside work of a call that was stopped; absent where there is none. Never throws, and takes a few
   * seconds at most.
   */
  abandon?(args: ToolArguments, contextFor: RunOptions['contextFor']): Promise<void>;
}
