import { modelText } from '../../db/chats/index.ts';
import { type EndedTurn, findEndedTurn } from '../../db/turns/index.ts';
import type { StepEvent } from '../../domain/events.ts';
import { ViewerCursor } from '../chat-feed/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import type { CursorPosition } from '../context/subscriptions.ts';

interface FollowedTurn {
  readonly orgId: string;
  readonly chatId: string;
  readonly turnId: string;
}

interface Follower {
  /** Takes the next part of the answer. */
  onText(text: string): void;
  /** Takes the next start or end of a step. */
  onStep?(step: StepEvent): void;
  /** Ends the wait; the turn goes on. */
  readonly signal: AbortSignal;
}

/** Follows a turn to its end, whenever that is, and returns it; undefined when the follower has gone before. */
export async function followTurn(
  { database, chats }: Pick<ApiContext, 'database' | 'chats'>,
  { orgId, chatId, turnId }: FollowedTurn,
  { onText, onStep, signal }: Follower,
): Promise<EndedTurn | undefined> {
  const ended = Promise.withResolvers<EndedTurn | undefined>();
  let shownTo: CursorPosition | undefined;
  const viewer = {
    onChunk: (text: string, position: CursorPosition) => {
      if (position.turnId !== turnId) return;
      shownTo = position;
      onText(text);
    },
    onStep: (id: string, step: StepEvent) => {
      if (id === turnId) onStep?.(step);
    },
    onEnd: (turn: EndedTurn) => {
      if (turn.id === turnId) ended.resolve(turn);
    },
  };
  // Subscribed before the rows are read, so that the end cannot fall between the two.
  const unsubscribe = await chats.subscribe({ orgId, chatId }, () => viewer);
  const leave = () => ended.resolve(undefined);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    const stored = await findEndedTurn(database, orgId, turnId);
    if (stored === undefined) return await ended.promise;
    const rest = new ViewerCursor(shownTo).advance({ turnId, attempt: 0, text: modelText(stored.answer) });
    if (rest !== '') onText(rest);
    return stored;
  } finally {
    signal.removeEventListener('abort', leave);
    unsubscribe();
  }
}
