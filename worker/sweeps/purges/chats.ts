import { join } from 'node:path';
import { removeTree } from '../../../activities/sandbox/index.ts';
import { purgeDeletedChats, type PurgedChat } from '../../../db/chats/index.ts';
import { settleAll } from '../../../domain/core/settle-all.ts';
import type { Sweep } from '../sweep.ts';

/** Batches that one look removes at most, so that a worker that stops need not wait for a long backlog. */
const MAX_BATCHES = 20;

interface ChatRetention {
  /** The days for which deleted chats can be restored; 0 for ever. */
  readonly days: number;
  /** Folder of the chats' workspaces; none unless given. */
  readonly workspaceRoot: string | undefined;
}

/** Removes chats that were deleted long ago, and then their workspaces. */
export const purgeChats = ({ days, workspaceRoot }: ChatRetention): Sweep => ({
  name: 'purge chats',
  run: async ({ database }) => {
    if (days === 0) return;
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
      const { chats, mayBeMore } = await purgeDeletedChats(database, { days });
      if (workspaceRoot !== undefined) await removeWorkspaces(workspaceRoot, chats);
      if (!mayBeMore) return;
    }
  },
});

async function removeWorkspaces(root: string, chats: readonly PurgedChat[]): Promise<void> {
  await settleAll(chats.map(async ({ orgId, chatId }) => removeTree(join(root, orgId, chatId))));
}
