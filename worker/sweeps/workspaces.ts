import type { LocalCopies } from '../../activities/tools/index.ts';
import type { Sweep } from './sweep.ts';

/** Removes copies of workspaces that lie idle on this worker, and what workers that are gone have left. */
export const tidyCopies = (copies: Pick<LocalCopies, 'tidy'>): Sweep => ({
  name: 'tidy workspaces',
  run: async () => copies.tidy(),
});
