import type { CallResult } from '../../../db/turns/index.ts';
import { type Effect, MAY_HAVE_TAKEN_EFFECT, STOPPED, STOPPED_WHILE_IT_RAN } from '../../../domain/tool-calls/index.ts';
import { toolError } from '../../tools/index.ts';

const FIND_OUT = `${MAY_HAVE_TAKEN_EFFECT}: find out before you repeat it.`;
const MAYBE_DONE = `The process that made this call ended before it received the result. The call ${FIND_OUT}`;
const LEFT = 'files that it had changed are as it left them. Look at them before you repeat it.';
const KEPT = 'the files are as they were before it, or as it left them. Look at them before you repeat it.';
/** A worker that stands still ends the processes when it is heard of again, so they end with it in any case. */
const COMMAND_LOST = `The worker that ran this command was lost before it told the result. Its processes were ended with that worker; ${KEPT}`;
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
