import { setTimeout as sleep } from 'node:timers/promises';
import type { AimedInjection } from './injection.ts';
import { countTakenOver, findHeld, seek } from './turn-rows.ts';
import { whileFrozen } from './while-frozen.ts';

/** A lease lasts six seconds; the time until another worker looks comes on top. */
const LEAST_MS = 8_000;
const SPREAD_MS = 2_000;
const POLL_MS = 50;
const TAKEN_OVER_LIMIT_MS = 8_000;
/** Shorter than a lease, so that the other worker, which stands still meanwhile, keeps its own. */
const HELD_LIMIT_MS = 4_000;

/**
 * Lets the spare worker stand still until another one has taken its turns over. It then goes on as if nothing had
 * happened: whatever it still writes must be refused.
 */
export const pausePastLeases: AimedInjection = async ({ installation: { stack, spare }, letIn }, { lengthMs }) =>
  stack.withDatabase(async (database) => {
    const { runner } = await spare.backUp();
    const held = await whileFrozen(stack, 'worker', async () => {
      letIn();
      await seek(async () => findHeld(database, runner), HELD_LIMIT_MS);
      spare.signal('SIGSTOP');
      return findHeld(database, runner);
    });
    await sleep(LEAST_MS + (lengthMs % SPREAD_MS));
    const deadline = Date.now() + TAKEN_OVER_LIMIT_MS;
    let taken = await countTakenOver(database, held, runner);
    while (taken < held.length && Date.now() < deadline) {
      await sleep(POLL_MS);
      taken = await countTakenOver(database, held, runner);
    }
    spare.signal('SIGCONT');
    return { isHit: taken > 0, seen: `${taken} of its ${held.length} turns were taken over while it stood still` };
  });
