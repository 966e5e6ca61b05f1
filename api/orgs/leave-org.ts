import { leaveOrg } from '../../db/membership-changes/index.ts';
import { getUser } from '../../db/users/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { userSchema } from '../users/index.ts';

/** Takes the caller out of the organization. Their running turns there stop, as when somebody removes them. */
export const leaveOrgRoute = defineRoute({
  method: 'post',
  path: '/api/orgs/{org_id}/leave',
  resource: 'orgs',
  action: 'leave',
  access: { org: 'viewer' },
  rejectsManaged: true,
  tag: 'Organizations',
  operationId: 'leaveOrganization',
  summary: 'Leave the organization; its owner hands it over first',
  params: idParams('org_id'),
  errors: [409],
  response: { status: 200, description: 'The user, without the organization', schema: userSchema },
  handler: async ({ caller }, { database }) => {
    await leaveOrg(database, caller);
    return present(userSchema, await getUser(database, caller.userId));
  },
});
