import type { FinalTurnStatus } from '../turns/index.ts';
import type { CallStatus } from '../tool-calls/index.ts';
import type { ReplyState } from './model-message.ts';

/**
 * The asker in a chat: a person, whose words reach the model unchanged, or the delegating agent, which may quote what
 * it has read.
 */
export type Asker = 'user' | 'agent';

/** A turn as the rows keep it, for a transcript to be made of. */
export interface TurnRecord {
  /** The message that is answered; null when it is excluded. */
  readonly question: string | null;
  /** The files that came with it; null or absent for none. */
  readonly fileIds?: readonly string[] | null | undefined;
  /** Whether the message is the prompt of a run, which may quote what a stranger has sent. */
  readonly isPromptOfRun?: boolean | undefined;
  /** The title of the task whose result the answer is, which no model has written here; null or absent for others. */
  readonly reportOf?: string | null | undefined;
  /** The model's replies that led to calls, and the last reply of a turn that had such; in order. */
  readonly steps: readonly StepRecord[];
  /** The stored answer; null while the turn runs, and when it is excluded (its steps are left out then too). */
  readonly answer: { readonly content: string; readonly status: FinalTurnStatus; readonly error: string | null } | null;
}

/** One reply of the model. */
export interface StepRecord {
  /** The part that viewers were shown. */
  readonly text: string;
  /** The reply as the model gave it, where that differs: with its fenced calls. */
  readonly rawText: string | null;
  readonly calls: readonly CallRecord[];
  readonly state: ReplyState | null;
}

/** A call and what came of it. */
export interface CallRecord {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly status: CallStatus;
  /** The text for the model; null while the call is open. */
  readonly result: string | null;
}
