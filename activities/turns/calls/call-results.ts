import type { BegunCall, CallDecision } from '../../../db/turns/calls/begin-call.ts';
import type { CallResult } from '../../../db/turns/calls/close-call.ts';
import { cut } from '../../../domain/core/text.ts';
import { maskSecrets } from '../../../domain/secrets.ts';
import {
  type Effect,
  MAX_RESULT_CHARACTERS,
  MAY_HAVE_TAKEN_EFFECT,
  STOPPED,
  STOPPED_WHILE_IT_RAN,
} from '../../../domain/tool-calls/tool-call.ts';
import type { FinalTurnStatus } from '../../../domain/turns.ts';
import { asData, toolError } from '../../tools/call/execute-call.ts';

const FIND_OUT = `${MAY_HAVE_TAKEN_EFFECT}: find out before you repeat it.`;
const MAYBE_DONE = `The process that made this call ended before it received the result. The call ${FIND_OUT}`;
const LEFT = 'files that it had changed are as it left them. Check them before you repeat it.';
const KEPT = 'the files are as they were before it, or as it left them. Check them before you repeat it.';

/** A worker that hangs ends the processes when it resumes, so they end with it in any case. */
const COMMAND_LOST = `The worker that ran this command was lost before it reported the result. Its processes were ended with that worker; ${KEPT}`;
const COMMAND_STOPPED = `The command was stopped while it ran. Its processes were ended; ${LEFT}`;
const BROKEN: Readonly<Record<Effect, string>> = {
  read: 'It has changed nothing.',
  keyed: `It ${FIND_OUT}`,
  once: `It ${FIND_OUT}`,
  agent: 'The sub-agent may or may not have worked.',
};

/** Returns the result of a call that its agent or user may not make. */
export function deniedResult(message: string): CallResult {
  return { status: 'error', result: toolError('denied', message) };
}

/**
 * Returns the result of a call whose process died, and that must not be repeated. More is known of a command in the
 * sandbox.
 */
export function lostResult(runsCommand: boolean): CallResult {
  return { status: 'unknown', result: runsCommand ? COMMAND_LOST : MAYBE_DONE };
}

/**
 * Returns the result of a call that an earlier attempt may have made: that this one has failed does not say that
 * nothing was done.
 */
export function repeatedResult(result: CallResult): CallResult {
  if (result.status !== 'error') return result;
  return { ...result, status: 'unknown', result: `${result.result}\nAn earlier attempt at this call ${FIND_OUT}` };
}

/** Returns the result of a call that is not repeated because what it does was changed after its first attempt. */
export function changedResult(): CallResult {
  const message = 'The call has changed since it was approved, so it is not repeated. Its first attempt';
  return { status: 'unknown', result: `${message} ${FIND_OUT}` };
}

/** Returns the result of a call that killed its process, or failed with an unexpected error, too often. */
export function brokenResult(effect: Effect, tries: number): CallResult {
  const message = `The call was started ${tries} times without producing a result, so it is not run again.`;
  return {
    status: effect === 'once' ? 'unknown' : 'error',
    result: toolError('upstream', `${message} ${BROKEN[effect]}`),
  };
}

/** Returns the result of a call that was stopped, and may have begun. */
export function stoppedResult(effect: Effect, mayHaveBegun: boolean, runsCommand = false): CallResult {
  const mayBeDone = mayHaveBegun && effect !== 'read';
  if (!mayBeDone) return { status: 'interrupted', result: STOPPED };
  return { status: 'unknown', result: runsCommand ? COMMAND_STOPPED : STOPPED_WHILE_IT_RAN };
}

/** The shown length of arguments that a person has changed. */
const MAX_ARGUMENTS_SHOWN = 4_000;

const NOT_MADE = 'It was not made, and has changed nothing. Go on without it, or ask what else would do.';

/** Returns the result of a question: the answer of the person, or the default one. */
export function answeredResult({ status, note, by }: CallDecision, answer: string): CallResult {
  const source = status === 'expired' ? { answered_by: null, is_default: true } : { answered_by: by };
  return { status: 'success', result: JSON.stringify({ answer, ...source, ...(note !== null && { note }) }) };
}

/** Returns the result of a question that a person does not want to answer. */
export function unansweredResult({ note, by }: CallDecision): CallResult {
  const why = `${by ?? 'The person'} does not answer this question${note === null ? '.' : `, and says: ${note}`}`;
  return { status: 'error', result: toolError('denied', why) };
}

/** Returns the result of a call that nobody has allowed. */
export function refusedResult({ status, note }: CallDecision): CallResult {
  const why =
    status === 'expired'
      ? 'This call needed the approval of a person, and nobody has decided in time.'
      : `A person has denied this call${note === null ? '.' : `, and says: ${note}`}`;
  return { status: 'error', result: toolError('denied', `${why}\n${NOT_MADE}`) };
}

/**
 * Adds to the result of an approved call what the person has said or changed. Everybody who reads the chat sees it, so
 * likely secrets are masked.
 */
export function withDecision(
  result: CallResult,
  call: Pick<BegunCall, 'arguments'>,
  { note, isEdited }: CallDecision,
): CallResult {
  const args = cut(JSON.stringify(maskSecrets(call.arguments)), MAX_ARGUMENTS_SHOWN);
  const words = [
    ...(isEdited ? [`[A person has approved this call with other arguments, with which it was made: ${args}]`] : []),
    ...(note === null ? [] : [`[The person who approved this call says: ${note}]`]),
  ];
  return words.length === 0 ? result : { ...result, result: [...words, result.result].join('\n\n') };
}

/** The end of a sub-agent's turn. */
interface SubAgentEnd {
  readonly status: FinalTurnStatus;
  readonly answer: string;
  readonly error: string | undefined;
}

/** Returns the result of a delegation for the calling agent; text that may repeat text from outside is marked. */
export function delegationResultOf(
  { status, answer, error }: SubAgentEnd,
  { callId, hasForeignText }: { readonly callId: string; readonly hasForeignText: boolean },
): CallResult {
  const said = answer === '' ? '' : mark(cutAnswer(answer), hasForeignText ? callId : undefined);
  const rest = said === '' ? '' : `\n\nIts answer until then:\n${said}`;
  const isForeign = hasForeignText;
  if (status === 'completed') return { status: 'success', result: said, isForeign };
  if (status === 'interrupted')
    return { status: 'interrupted', result: `The sub-agent was interrupted before it was done.${rest}`, isForeign };
  return { status: 'error', result: `The sub-agent failed: ${error ?? 'the reason is unknown'}${rest}`, isForeign };
}

function mark(text: string, callId: string | undefined): string {
  return callId === undefined ? text : asData(text, callId);
}

function cutAnswer(answer: string): string {
  if (answer.length <= MAX_RESULT_CHARACTERS) return answer;
  const kept = cut(answer, MAX_RESULT_CHARACTERS);
  return `${kept}\n\n[Cut: the answer has ${answer.length} characters.]`;
}
