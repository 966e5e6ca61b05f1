import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type SweepGroup, sweepGroups, type SweepSettings } from './sweeps/index.ts';
import type { SweepDeps } from './sweeps/sweep.ts';

interface SweeperDeps extends SweepDeps {
  readonly log: Logger;
  readonly settings: SweepSettings;
}

/** Runs the sweeps of all capabilities, in every worker, until `stop` aborts. */
export async function sweep(deps: SweeperDeps, stop: AbortSignal): Promise<void> {
  await Promise.all(sweepGroups(deps.settings).map(async (group) => sweepGroup(deps, group, stop)));
}

async function sweepGroup(deps: SweeperDeps, group: SweepGroup, stop: AbortSignal): Promise<void> {
  const pause = async (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => undefined);
  await pause(group.firstAfterMs);
  while (!stop.aborted) {
    // Each by itself, so that a failure of one does not keep the others from running.
    for (const each of group.sweeps) {
      await each.run(deps, stop).catch((error: unknown) => {
        deps.log.warn({ err: error, sweep: each.name }, 'a sweep failed; the next one follows');
      });
    }
    await pause(group.everyMs);
  }
}
