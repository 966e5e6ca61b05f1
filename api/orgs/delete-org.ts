import { deleteOrg } from '../../db/membership-changes/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { clearAway } from './clear-away.ts';

/**
 * Deletes the organization: after the response nobody reaches anything of it any more. The rest is done in the
 * background.
 */
export const deleteOrgRoute = defineRoute({
  method: 'delete',
  path: '/api/orgs/{org_id}',
  resource: 'orgs',
  access: { org: 'owner' },
  tag: 'Organizations',
  operationId: 'deleteOrganization',
  summary: 'Delete the organization with everything in it',
  description: 'Once the response arrives, nothing of it can be reached; its records are removed in the background.',
  params: idParams('org_id'),
  errors: [409],
  response: { status: 204 },
  handler: async ({ caller }, context) => {
    const deleted = await deleteOrg(context.database, caller);
    clearAway(context, caller.orgId, deleted);
  },
});
