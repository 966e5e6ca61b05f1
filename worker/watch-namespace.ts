import type { Client } from '@temporalio/client';
import { forgetSeenRuns } from '../db/agent-workflows/runs/run-queue.ts';
import type { Database } from '../db/core/database.ts';
import { forgetNamespace, type Installation, noteNamespace, readNotedNamespace } from '../db/installation.ts';
import { forgetAppliedSchedules } from '../db/schedules/firing/applied.ts';
import { makeOpenTurnsDue } from '../db/turns/due-turns.ts';
import { readNamespaceId } from '../workflows/core/client.ts';
import { claimNamespace, updateHousekeeping } from '../workflows/housekeeping/client.ts';
import type { JobDeps, PeriodicJob } from './periodic-jobs.ts';

/**
 * Makes the job that claims the Temporal namespace for an installation, and notices when Temporal has lost its store:
 * the namespace has another id than the one that was noted, or a Schedule of the housekeeping is missing. Then Temporal
 * counts as empty, and the recovery scan recreates its state from the rows. The first run gives the Schedules of the
 * housekeeping the definition of this version, and has open runs woken whose workflows somebody may have ended. Throws
 * `NamespaceTaken`.
 */
export function watchNamespace(installation: Installation) {
  let seenId: string | undefined;
  return {
    name: 'watch the namespace',
    run: async ({ database, client }: JobDeps) => {
      // Forgotten before the Schedules are created: if this ends in between, the next run of any worker continues.
      await claimNamespace(client, installation, async () => forgetNamespace(database));
      const id = await readNamespaceId(client);
      const notedId = await readNotedNamespace(database);
      if (seenId === undefined) await begin(database, client);
      // Otherwise both would have their own namespace filled from the rows, again and again.
      else if (id === seenId && notedId !== null && id !== notedId) throw new Error(TWO_NAMESPACES);
      if (id !== notedId) {
        await forgetWhatTemporalKnows(database);
        // Noted last, so that the next run repeats what has failed.
        await noteNamespace(database, id);
      }
      seenId = id;
    },
  } satisfies PeriodicJob;
}

const TWO_NAMESPACES =
  'another worker on this database uses another Temporal namespace: TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE must be the same for all';

async function begin(database: Database, client: Client): Promise<void> {
  await updateHousekeeping(client);
  await forgetSeenRuns(database);
}

async function forgetWhatTemporalKnows(database: Database): Promise<void> {
  await makeOpenTurnsDue(database);
  await forgetSeenRuns(database);
  await forgetAppliedSchedules(database);
}
