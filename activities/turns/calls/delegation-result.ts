import type { CallResult } from '../../../db/turns/index.ts';
import { cut } from '../../../domain/core/text.ts';
import { MAX_RESULT_CHARACTERS } from '../../../domain/tool-calls/index.ts';
import type { FinalTurnStatus } from '../../../domain/turns/index.ts';
import { asData } from '../../tools/index.ts';

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
