import type { Logger } from 'pino';
import type { Database } from '../../db/core/index.ts';
import { closeOpenCalls, type FaultyTurn, finishTurn, noteFault, type TurnOutcome } from '../../db/turns/index.ts';
import type { ConversationInput } from '../../workflows/turns/contract.ts';
import { FAULTY, MAX_FAULTS } from './calls/blocked-reason.ts';

/**
 * Counts an unexpected error of the chat's oldest open turn, and logs it. From `MAX_FAULTS` on the next claim ends the
 * turn. When that meets errors twice more, as with rows that cannot be read, it is ended here with the least that a
 * turn's end needs; returns whether it was.
 */
export async function noteUnexpected(
  { database, log }: { readonly database: Database; readonly log: Logger },
  chat: ConversationInput,
  runner: string,
  error: unknown,
): Promise<boolean> {
  const turn = await noteFault(database, chat, runner);
  log.error(
    { err: error, chatId: chat.chatId, turnId: turn?.turnId, faults: turn?.faults },
    'an attempt at a turn failed with an unexpected error',
  );
  if (turn === undefined || turn.faults < MAX_FAULTS + 2) return false;
  // Sub-agents stop because the turn above them has ended.
  await closeOpenCalls(database, turn);
  return (await finishTurn(database, endOf(turn))) !== undefined;
}

function endOf(turn: FaultyTurn): TurnOutcome {
  return {
    ...turn,
    status: 'failed',
    content: FAULTY,
    metadata: {
      status: 'failed',
      turn_id: turn.turnId,
      tool_call_count: 0,
      tool_calls_detail: [],
      sub_agents: [],
      error: FAULTY,
      usage: { input_tokens: 0, output_tokens: 0 },
    },
    providerUsed: null,
    usage: undefined,
    lastText: undefined,
    delegationResult: turn.isSubAgent
      ? { status: 'error', result: `The sub-agent failed: ${FAULTY}`, isForeign: false }
      : undefined,
  };
}
