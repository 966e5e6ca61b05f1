import type { CallResult } from '../../db/turns/index.ts';
import { MAX_RESULT_CHARACTERS } from '../../domain/tool-calls/index.ts';
import type { FinalTurnStatus } from '../../domain/turns/index.ts';

/** What the agent that handed the work out is told of a sub-agent's end. */
export function handBackOf(status: FinalTurnStatus, answer: string, error: string | undefined): CallResult {
  const text = cut(answer);
  if (status === 'completed') return { status: 'success', result: text };
  const said = text === '' ? '' : `\n\nWhat it had said until then:\n${text}`;
  if (status === 'interrupted')
    return { status: 'interrupted', result: `The sub-agent was interrupted before it was done.${said}` };
  return { status: 'error', result: `The sub-agent failed: ${error ?? 'no reason is known'}${said}` };
}

function cut(answer: string): string {
  if (answer.length <= MAX_RESULT_CHARACTERS) return answer;
  const kept = answer.slice(0, MAX_RESULT_CHARACTERS).toWellFormed();
  return `${kept}\n\n[Cut: the answer has ${answer.length} characters.]`;
}
