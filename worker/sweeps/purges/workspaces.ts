import type { LocalCopies } from '../../../activities/tools/index.ts';
import { purgeUnusedContents } from '../../../db/workspaces/index.ts';
import type { Sweep } from '../sweep.ts';

/** Removes copies of workspaces that lie idle on this worker, and what workers that are gone have left. */
export const tidyCopies = (copies: Pick<LocalCopies, 'tidy'>): Sweep => ({
  name: 'tidy workspaces',
  run: async () => copies.tidy(),
});

/** Removes contents of files that no workspace has any longer. */
export const purgeContents: Sweep = {
  name: 'purge contents of workspaces',
  run: async ({ database }) => purgeUnusedContents(database),
};
