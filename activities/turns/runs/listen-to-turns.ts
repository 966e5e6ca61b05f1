import type { Database } from '../../../db/core/index.ts';
import { NotificationListener } from '../../../db/stream/index.ts';
import { CONTROL_CHANNEL, READY_CHANNEL, readReadyTurn } from '../../../db/turns/index.ts';
import type { HeadStarts } from './head-starts.ts';
import type { RunningTurns } from './running-turns.ts';

interface Listeners {
  readonly database: Database;
  readonly runningTurns: RunningTurns;
  readonly headStarts: HeadStarts;
}

/** Listens for turns to begin and turns to stop, on one connection; throws when the database does not answer. */
export async function listenToTurns({ database, runningTurns, headStarts }: Listeners): Promise<NotificationListener> {
  return NotificationListener.start({
    url: database.url,
    channels: [CONTROL_CHANNEL, READY_CHANNEL],
    onNotification: (channel, payload) => {
      if (channel === CONTROL_CHANNEL) {
        runningTurns.interrupt(payload);
        return;
      }
      const turn = readReadyTurn(payload);
      if (turn !== undefined) headStarts.take(turn);
    },
    // The sweeper wakes the turns whose news was lost.
    onReconnect: () => void runningTurns.poll(),
  });
}
