import { setTimeout as sleep } from 'node:timers/promises';
import { READY_CHANNEL } from '../../db/turns/index.ts';
import type { AimedInjection } from './injection.ts';
import { countUnheard, databaseTime } from './turn-rows.ts';

/** How long the workers are kept from listening, and how long after a message its turn would have been claimed. */
const CUT_MS = 1_500;
const HEARD_WITHIN_MS = 500;

/** A worker that has lost its connection is back within some milliseconds. */
const CUT_AGAIN_MS = 2;

/**
 * Ends the connections on which the workers listen for turns, again and again, while messages are accepted: their
 * notifications reach nobody.
 */
export const loseNotifications: AimedInjection = async ({ installation: { stack }, letIn }) =>
  stack.withDatabase(async (database) => {
    const since = await databaseTime(database);
    const until = Date.now() + CUT_MS;
    let cuts = 0;
    for (let isFirst = true; Date.now() < until; isFirst = false) {
      const { rowCount } = await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and query like 'listen %${READY_CHANNEL}%'`,
      );
      cuts += rowCount ?? 0;
      if (isFirst) letIn();
      await sleep(CUT_AGAIN_MS);
    }
    const unheard = await countUnheard(database, since, HEARD_WITHIN_MS);
    return { isHit: unheard > 0, seen: `${unheard} turns that no worker heard of, after ${cuts} cuts` };
  });
