import type { DeletedOrg } from '../../db/membership-changes/index.ts';
import { endRuns } from '../../workflows/agent-workflows/client.ts';
import { endConversations } from '../../workflows/turns/client.ts';
import { startOrgPurge } from '../../workflows/orgs/client.ts';
import type { ApiContext } from '../context/api-context.ts';

/**
 * Starts the purge of a deleted organization in the background. While the engine is down its conversations and runs do
 * nothing, and the housekeeping starts the purge when it is back.
 */
export function clearAway({ temporal, log }: ApiContext, orgId: string, { chatIds, runIds }: DeletedOrg): void {
  const work = async () => {
    await endRuns(temporal, orgId, runIds);
    await endConversations(temporal, orgId, chatIds);
    await startOrgPurge(temporal, orgId);
  };
  work().catch((error: unknown) => {
    log.warn({ err: error, orgId }, 'a deleted organization could not be purged; the housekeeping will do it');
  });
}
