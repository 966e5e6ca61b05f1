import type { ClaimedTurn, TurnOutcome } from '../../db/turns/index.ts';
import type { FinalTurnStatus } from '../../domain/turns/index.ts';
import type { ModelAnswer } from './answer-turn.ts';

/** How a turn ended, apart from which turn it was. */
type Ending = Pick<TurnOutcome, 'status' | 'content' | 'metadata' | 'providerUsed' | 'usage'>;

/** The ending of a turn that a model was to answer. */
export function endingOf(turn: ClaimedTurn, answer: ModelAnswer, isInterrupted: boolean): Ending {
  const { text, asked, failure } = answer;
  if (asked === undefined) return endingWithoutModel(turn, isInterrupted ? 'interrupted' : 'failed', failure ?? '');
  const { chosen, usage } = asked;
  const status: FinalTurnStatus = isInterrupted ? 'interrupted' : failure === undefined ? 'completed' : 'failed';
  return {
    status,
    // A failure that came before the first word leaves the message to say why.
    content: text === '' ? (failure ?? '') : text,
    metadata: metadata(turn, status, {
      error: failure,
      usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
      usage_estimated: usage.estimated,
      finish_reason: answer.endReason,
      model: chosen.model,
      provider_account_id: chosen.account.id,
    }),
    providerUsed: chosen.account.name,
    usage: { ...usage, model: chosen.model, providerAccountId: chosen.account.id },
  };
}

/** The ending of a turn whose model was not asked: refused, or stopped before an attempt could go on. */
export function endingWithoutModel(turn: ClaimedTurn, status: 'interrupted' | 'failed', text: string): Ending {
  return {
    status,
    content: text,
    metadata: metadata(turn, status, {
      error: status === 'failed' ? text : undefined,
      usage: { input_tokens: 0, output_tokens: 0 },
      model: null,
      provider_account_id: null,
    }),
    providerUsed: null,
    usage: undefined,
  };
}

function metadata(turn: ClaimedTurn, status: FinalTurnStatus, rest: Record<string, unknown>): Record<string, unknown> {
  return { status, turn_id: turn.id, tool_call_count: 0, tool_calls_detail: [], sub_agents: [], ...rest };
}
