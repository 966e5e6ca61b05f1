import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { purgeCredentials } from '../db/auth/index.ts';
import type { Database } from '../db/core/index.ts';
import { countUsage, findDeletedOrgs } from '../db/orgs/index.ts';
import { purgeTurnEvents } from '../db/stream/index.ts';
import { findDueTurns, makeOpenTurnsDue, postponeWake } from '../db/turns/index.ts';
import { wakeConversation } from '../workflows/turns/client.ts';
import { startOrgPurge } from '../workflows/orgs/client.ts';

const SWEEP_MS = 1_000;
const SWEEPS_PER_PURGE = 15;
const BATCH = 50;

interface SweeperDeps {
  readonly database: Database;
  readonly client: Client;
  readonly log: Logger;
}

/**
 * Wakes the conversations of turns that should have moved: their signal was lost because Temporal could not be reached,
 * or Temporal lost its store. Runs in every worker; a surplus wake is harmless. Ends when `stop` aborts.
 */
export async function sweep({ database, client, log }: SweeperDeps, stop: AbortSignal): Promise<void> {
  let isFirst = true;
  let purging: Promise<void> | undefined;
  for (let round = 1; !stop.aborted; round += 1) {
    try {
      if (isFirst) await makeOpenTurnsDue(database);
      isFirst = false;
      await wakeDueTurns(database, client);
    } catch (error) {
      log.warn({ err: error }, 'sweep failed; the next one follows');
    }
    // Runs beside the wakes, which must not wait for anything slow; and one at a time.
    if (round % SWEEPS_PER_PURGE === 0)
      purging ??= purge({ database, client, log }).finally(() => (purging = undefined));
    await sleep(SWEEP_MS, undefined, { signal: stop }).catch(() => undefined);
  }
  await purging;
}

// Each by itself, so that a failure of one does not keep the others from running.
async function purge({ database, client, log }: SweeperDeps): Promise<void> {
  const purgeOrgs = async () => {
    for (const orgId of await findDeletedOrgs(database, BATCH)) await startOrgPurge(client, orgId);
  };
  for (const step of [purgeTurnEvents, countUsage, purgeCredentials, purgeOrgs]) {
    await step(database).catch((error: unknown) =>
      log.warn({ err: error, step: step.name }, 'a purge failed; the next one follows'),
    );
  }
}

async function wakeDueTurns(database: Database, client: Client): Promise<void> {
  const due = await findDueTurns(database, BATCH);
  const results = await Promise.allSettled(
    due.map(async (turn) => wakeConversation(client, turn).then(() => turn.turnId)),
  );
  const woken = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (woken.length > 0) await postponeWake(database, woken);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
