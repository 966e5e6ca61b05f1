import { Client, Connection } from '@temporalio/client';
import type pg from 'pg';
import type { Flow } from '../../test/support/valve.ts';
import { conversationId } from '../../workflows/turns/contract.ts';
import type { AimedInjection, Scene, Sighting } from './injection.ts';
import { databaseTime, findHeld, type HeldTurn, seek } from './turn-rows.ts';
import { whileFrozen } from './while-frozen.ts';

/** Shorter than a lease, so that the other worker, which stands still meanwhile, keeps its turns. */
const CAUGHT_LIMIT_MS = 4_000;

/** Kills the spare worker when it has claimed a turn and could not tell Temporal. */
export const killBeforeEngagement: AimedInjection = async (scene) => {
  const caught = await killHeldBack(scene, 'requests', async (turns) => turns);
  return sighting(caught, 'claimed and not known to Temporal');
};

/** Kills the spare worker when Temporal knows of a turn that it has claimed, and nothing of that has come back. */
export const killBeforeAdoption: AimedInjection = async (scene) => {
  const connection = await Connection.connect({ address: `127.0.0.1:${scene.installation.stack.ports.temporal}` });
  try {
    const client = new Client({ connection });
    const caught = await killHeldBack(scene, 'responses', async (turns) => {
      const areEngaged = await Promise.all(turns.map(async (turn) => isEngaged(client, turn)));
      return turns.filter((_, at) => areEngaged[at]);
    });
    return sighting(caught, 'claimed and engaged, which its worker has not heard');
  } finally {
    await connection.close();
  }
};

function sighting(caught: readonly HeldTurn[], what: string): Sighting {
  return { isHit: caught.length > 0, seen: `${caught.length} turns ${what}` };
}

/**
 * Holds back what the spare worker sends to Temporal, or what it hears from there, until it runs turns that `choose`
 * takes, and kills it. Returns those of them that it held when it died. What was held back is lost with it.
 */
async function killHeldBack(
  { installation: { stack, spare, temporalValve }, letIn }: Scene,
  flow: Flow,
  choose: (turns: HeldTurn[]) => Promise<HeldTurn[]>,
): Promise<readonly HeldTurn[]> {
  const { pid, runner } = await spare.backUp();
  const caught = await stack.withDatabase(async (database) => {
    // Later messages only: nothing about them has passed.
    temporalValve.shut(flow);
    try {
      const since = await databaseTime(database);
      const found = await whileFrozen(stack, 'worker', async () => {
        letIn();
        return seek(async () => choose(await findHeld(database, runner, since)), CAUGHT_LIMIT_MS);
      });
      spare.signal('SIGKILL');
      return await stillHeld(database, runner, found);
    } finally {
      temporalValve.cut();
      temporalValve.reopen();
    }
  });
  await spare.backUp(pid);
  return caught;
}

// A turn may have ended between the look and the kill.
async function stillHeld(database: pg.Client, runner: string, turns: readonly HeldTurn[]): Promise<HeldTurn[]> {
  const ids = new Set((await findHeld(database, runner)).map(({ id }) => id));
  return turns.filter(({ id }) => ids.has(id));
}

/** Returns whether the turn's conversation was started or signalled since its message was accepted. */
async function isEngaged({ workflow }: Client, { createdAt, ...chat }: HeldTurn): Promise<boolean> {
  const handle = workflow.getHandle(conversationId(chat));
  try {
    const { startTime, status } = await handle.describe();
    if (status.name !== 'RUNNING') return false;
    if (startTime > createdAt) return true;
    const { events } = await handle.fetchHistory();
    return (events ?? []).some(
      ({ workflowExecutionSignaledEventAttributes: signal, eventTime }) =>
        signal != null && Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1e6 > createdAt.getTime(),
    );
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return false;
    throw error;
  }
}
