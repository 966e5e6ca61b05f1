import type { TrialOutcome } from '../../../db/tools/index.ts';
import { cut, toStorableText } from '../../../domain/core/text.ts';
import type { Effect } from '../../../domain/tool-calls/index.ts';
import { ToolFailure } from '../tool-failure.ts';

/** What a tried call has come to. */
export type TrialEnding = Pick<TrialOutcome, 'status' | 'result' | 'isJson'>;

/** The longest result that is shown, in characters. */
const MAX_RESULT = 100_000;

/** Returns a result as it is shown. What is cut is no JSON any more. */
export function shownResult(text: string, isJson: boolean): Pick<TrialOutcome, 'result' | 'isJson'> {
  return { result: cut(toStorableText(text), MAX_RESULT), isJson: isJson && text.length <= MAX_RESULT };
}

/** Makes the failure of a call that was stopped, because it took longer than anybody waits for it. */
export function timedOut(effect: Effect, limitMs: number): ToolFailure {
  const message = `The call took longer than ${limitMs / 1000} seconds and was stopped`;
  return new ToolFailure('timeout', message, { isUncertain: effect !== 'read' });
}
