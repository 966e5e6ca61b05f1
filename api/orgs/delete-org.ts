import { announceEnd, deleteOrg } from '../../db/orgs/index.ts';
import { endConversations } from '../../workflows/chats/client.ts';
import { startOrgPurge } from '../../workflows/orgs/client.ts';
import type { ApiContext } from '../core/api-context.ts';
import { defineRoute } from '../core/define-route.ts';
import { idParams } from '../core/fields.ts';

/** Deletes the organization: with the answer nobody reaches anything of it any more. The rest is done in the background. */
export const deleteOrgRoute = defineRoute({
  method: 'delete',
  path: '/api/orgs/{org_id}',
  access: { org: 'owner' },
  tag: 'Organizations',
  summary: 'Delete the organization with everything in it',
  params: idParams('org_id'),
  errors: [409],
  response: { status: 204 },
  handler: async ({ caller }, context) => {
    const deleted = await deleteOrg(context.database, caller);
    await announceEnd(context.database, deleted);
    clearAway(context, caller.orgId, deleted.chatIds);
  },
});

// While the engine is away its conversations do nothing, and the sweeper starts the purge when it is back.
function clearAway({ temporal, log }: ApiContext, orgId: string, chatIds: readonly string[]): void {
  const work = async () => {
    await endConversations(temporal, orgId, chatIds);
    await startOrgPurge(temporal, orgId);
  };
  work().catch((error: unknown) => {
    log.warn({ err: error, orgId }, 'a deleted organization could not be cleared away; the sweeper will');
  });
}
