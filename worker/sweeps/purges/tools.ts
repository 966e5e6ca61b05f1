import { removeOldScratch } from '../../../activities/tools/index.ts';
import { purgeToolTrials } from '../../../db/tools/index.ts';
import type { Sweep } from '../sweep.ts';

/** No call that is tried takes as long. */
const OLD_MS = 15 * 60_000;

/** Removes the tries of tools that nobody waits for any more, and the files of those whose worker died. */
export const purgeOldToolTrials = (workspaceRoot: string | undefined): Sweep => ({
  name: 'purge tool trials',
  run: async ({ database }) => {
    await purgeToolTrials(database);
    if (workspaceRoot !== undefined) await removeOldScratch(workspaceRoot, OLD_MS);
  },
});
