import type { UseQueryResult } from '@tanstack/react-query';
import { useAnswer } from '../core/http/use-answer.ts';
import type { components } from '../openapi.ts';
import type { StepOf, Trace } from './rows/trace-rows.ts';

export type TracedCall = components['schemas']['TracedCall'];

/** Names a turn. */
export interface TurnRef {
  readonly chatId: string;
  readonly turnId: string;
}

/** How often a turn that runs is read again while somebody looks; a long trace less often. */
const RUNNING_MS = 2_000;
const LONG_MS = 6_000;
const LONG_STEPS = 1_000;

/** Returns what happened in a turn; as long as it runs it is read again and again. */
export function useTrace({ chatId, turnId }: TurnRef): UseQueryResult<Trace> {
  const params = { path: { chat_id: chatId, turn_id: turnId } };
  return useAnswer(['traces', turnId], '/api/chats/{chat_id}/turns/{turn_id}', {
    params,
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined || data.turn.ended_at !== null) return false;
      return data.steps.length > LONG_STEPS ? LONG_MS : RUNNING_MS;
    },
  });
}

/** Returns a tool call with its whole arguments and result, which is read anew once its status has changed. */
export function useTracedCall(
  { chatId, turnId }: TurnRef,
  call: Pick<StepOf<'call'>, 'id' | 'status'>,
): UseQueryResult<TracedCall> {
  const params = { path: { chat_id: chatId, turn_id: turnId, call_id: call.id } };
  return useAnswer(
    ['traces', turnId, 'calls', call.id, call.status],
    '/api/chats/{chat_id}/turns/{turn_id}/calls/{call_id}',
    { params },
  );
}
