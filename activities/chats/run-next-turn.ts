import { cancellationSignal } from '@temporalio/activity';
import type { Database, SecretBox } from '../../db/core/index.ts';
import { readPublishedText, type TurnPublisher, type TurnStream } from '../../db/stream/index.ts';
import { type ClaimedTurn, claimTurn, finishTurn } from '../../db/turns/index.ts';
import type { ConversationInput, NextTurnResult } from '../../workflows/chats/contract.ts';
import { HandOver } from '../core/failure-interceptor.ts';
import { whileDatabaseIsAway } from '../core/while-database-is-away.ts';
import { withHeartbeat } from '../core/with-heartbeat.ts';
import type { FindAdapter } from '../llm/index.ts';
import { answerTurn } from './answer-turn.ts';
import { refusalOf } from './refusal.ts';
import type { RunningTurns } from './running-turns.ts';
import { endingOf, endingWithoutModel } from './turn-outcome.ts';

export interface ChatActivityDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly findAdapter: FindAdapter;
  readonly publisher: TurnPublisher;
  readonly runningTurns: RunningTurns;
}

/**
 * Makes the next attempt at the chat's oldest open turn and carries it to its end: the answer is stored and announced
 * when this returns. May be repeated after any crash: a turn that has ended is not touched again.
 */
export function createRunNextTurn(deps: ChatActivityDeps) {
  return async function runNextTurn(input: ConversationInput): Promise<NextTurnResult> {
    const cancelled = cancellationSignal();
    return withHeartbeat(async () => {
      const turn = await claimTurn(deps.database, input);
      return turn === undefined ? { hasMore: false } : attemptTurn(deps, input, turn, cancelled);
    });
  };
}

async function attemptTurn(
  deps: ChatActivityDeps,
  { orgId, chatId }: ConversationInput,
  turn: ClaimedTurn,
  cancelled: AbortSignal,
): Promise<NextTurnResult> {
  const { id: turnId, seq, attempt } = turn;
  const stream = deps.publisher.open({ orgId, chatId, id: turnId, seq, attempt });
  const ending = await reachEnding(deps, orgId, turn, stream, cancelled);
  const place = { turnId, chatId, orgId, attempt, agentId: turn.agent.id };
  const finished = await whileDatabaseIsAway(cancelled, () => finishTurn(deps.database, { ...place, ...ending }));
  stream.end();
  // Nothing was stored: the answer to an earlier try was lost, or a later attempt has the turn. Another look tells.
  return finished ?? { hasMore: true };
}

async function reachEnding(
  deps: ChatActivityDeps,
  orgId: string,
  turn: ClaimedTurn,
  stream: TurnStream,
  cancelled: AbortSignal,
) {
  if (turn.isInterrupted) {
    const { text } = await readPublishedText(deps.database, orgId, turn.id);
    return endingWithoutModel(turn, 'interrupted', text);
  }
  const refusal = refusalOf(turn);
  if (refusal !== undefined) return endingWithoutModel(turn, 'failed', refusal);
  return deps.runningTurns.track(turn.id, async (interrupted) => {
    const answer = await answerTurn(deps, turn, stream, AbortSignal.any([interrupted, cancelled]));
    const isBroken = answer.endReason === undefined && answer.failure === undefined;
    // The worker is going down, or was taken for dead: another attempt answers, this one must not end the turn.
    if (isBroken && !interrupted.aborted) throw new HandOver();
    return endingOf(turn, answer, isBroken);
  });
}
