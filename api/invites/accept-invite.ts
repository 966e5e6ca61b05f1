import { acceptInvite } from '../../db/invites/index.ts';
import { getOrg } from '../../db/orgs/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { findInviteByToken } from './find-invite.ts';
import { orgSchema } from '../orgs/index.ts';
import { acceptanceSchema } from './schema.ts';

/** Makes the caller a member of the inviting organization. */
export const acceptInviteRoute = defineRoute({
  method: 'post',
  path: '/api/orgs/accept-invite',
  resource: 'orgs',
  action: 'accept_invite',
  access: 'signed_in',
  rejectsManaged: true,
  tag: 'Organizations',
  operationId: 'acceptInvite',
  summary: 'Join the organization that invited you',
  body: acceptanceSchema,
  errors: [403, 404, 409, 429],
  response: { status: 200, description: 'The joined organization', schema: orgSchema },
  handler: async ({ caller, body, ip, noteRecords }, context) => {
    const { database } = context;
    const invite = await findInviteByToken(context, { token: body.token, ip });
    noteRecords(invite.id);
    const { orgId } = await acceptInvite(database, caller.userId, invite.id);
    return present(orgSchema, await getOrg(database, { orgId, userId: caller.userId }));
  },
});
