import { defineRoute } from '../http/define-route.ts';
import { inviteTokenParams } from '../http/fields.ts';
import { findInviteByToken } from './find-invite.ts';
import { shownInviteSchema } from './schema.ts';

/** Shows an invite to whoever holds its token, before they sign in or register. */
export const showInviteRoute = defineRoute({
  method: 'get',
  path: '/api/orgs/invite/{token}',
  resource: 'invites',
  access: 'public',
  tag: 'Organizations',
  operationId: 'showInvite',
  summary: 'What an invite is for',
  params: inviteTokenParams,
  errors: [429],
  response: { status: 200, description: 'What the invite is for', schema: shownInviteSchema },
  handler: async ({ params, ip }, context) => {
    const { orgName, role } = await findInviteByToken(context, { token: params.token, ip });
    return { org_name: orgName, role };
  },
});
