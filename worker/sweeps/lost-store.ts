import { forgetSeenRuns } from '../../db/agent-workflows/index.ts';
import { readNamespaceId } from '../../workflows/core/client.ts';
import type { Sweep } from './sweep.ts';

/**
 * Makes the sweep that has all open runs count as overdue after Temporal lost its store, and when a worker starts,
 * since it may have lost it before.
 */
export function noticeLostStore(): Sweep {
  let namespaceId: string | undefined;
  return {
    name: 'notice a lost store',
    run: async ({ database, client }) => {
      const id = await readNamespaceId(client);
      if (id !== namespaceId) await forgetSeenRuns(database);
      namespaceId = id;
    },
  };
}
