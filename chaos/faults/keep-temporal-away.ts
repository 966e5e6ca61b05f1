import { setTimeout as sleep } from 'node:timers/promises';
import type { AimedInjection } from './injection.ts';
import { countAccepted, countEnded, databaseTime } from './turn-rows.ts';

/** Kills Temporal and keeps it from being started again for a while, in which users go on. */
export const keepTemporalAway: AimedInjection = async ({ installation: { stack }, temporalAwayMs, letIn }) =>
  stack.withDatabase(async (database) => {
    // It would start another at once.
    stack.freezeSupervisor();
    const fault = stack.end('temporal');
    const since = await databaseTime(database);
    letIn();
    await sleep(temporalAwayMs);
    const accepted = await countAccepted(database, since);
    const ended = await countEnded(database, since);
    stack.thawSupervisor();
    await fault.backUp();
    return { isHit: accepted > 0, seen: `${accepted} messages accepted and ${ended} turns ended without it` };
  });
