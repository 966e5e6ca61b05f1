import type { Database } from '../../../db/core/index.ts';
import { NotificationListener } from '../../../db/stream/index.ts';
import { CONTROL_CHANNEL, READY_CHANNEL, readReadyTurn } from '../../../db/turns/index.ts';
import type { HeadStarts } from './head-starts.ts';
import type { RunningTurns } from './running-turns.ts';

interface Listeners {
  readonly database: Database;
  readonly runningTurns: RunningTurns;
  readonly headStarts: HeadStarts;
  /** Told of all news, and that some may have been lost. */
  readonly recovery: { readonly expectDue: () => void };
}

/** Listens for turns to begin, to go on and to stop, on one connection; throws when the database does not answer. */
export async function listenToTurns({
  database,
  runningTurns,
  headStarts,
  recovery,
}: Listeners): Promise<NotificationListener> {
  const listener = await NotificationListener.start({
    url: database.url,
    channels: [CONTROL_CHANNEL, READY_CHANNEL],
    onNotification: (channel, payload) => {
      recovery.expectDue();
      if (channel === CONTROL_CHANNEL) {
        runningTurns.interrupt(payload);
        return;
      }
      const turn = readReadyTurn(payload);
      if (turn !== undefined) headStarts.take(turn);
    },
    onReconnect: () => {
      recovery.expectDue();
      void runningTurns.poll();
    },
  });
  // What was announced before it listened is lost.
  recovery.expectDue();
  return listener;
}
