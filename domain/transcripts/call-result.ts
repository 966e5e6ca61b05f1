import { type CallStatus, defuseFences, type FinalCallStatus, MAY_HAVE_TAKEN_EFFECT } from '../tool-calls/index.ts';
import type { CallRecord } from './turn-record.ts';

const NEVER_BEGUN = 'Interrupted: this call was stopped before it was run.';
const UNKNOWN = `Unknown: this call ${MAY_HAVE_TAKEN_EFFECT}. Check before repeating it.`;

// What the model is told of a call without a stored result.
const WORDS: Readonly<Record<CallStatus, string>> = {
  planned: NEVER_BEGUN,
  running: UNKNOWN,
  success: 'Done; the result was not kept.',
  error: 'The call failed; the reason was not kept.',
  unknown: UNKNOWN,
  interrupted: 'Interrupted: this call was stopped, or was never run.',
};

/** Returns the text of a call's result for the model. It is never empty, and a call quoted in it is no call. */
export function resultText({ result, status }: CallRecord): string {
  if (result === null) return WORDS[status];
  return result.trim() === '' ? '(empty)' : defuseFences(result);
}

/** Returns the status for the model: an open call of an ended turn gets a final one. */
export function toldStatus({ status }: CallRecord): FinalCallStatus {
  if (status === 'planned') return 'interrupted';
  return status === 'running' ? 'unknown' : status;
}
