import { makePasswordLink } from '../../db/passwords/index.ts';
import { getMember } from '../../db/orgs/index.ts';
import { rejectUnlessAbove } from '../../domain/orgs/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { newTokenValue } from '../access/token-value.ts';
import { PASSWORD_LINK_SECONDS } from '../access/tokens.ts';
import { passwordLinkSchema } from './schema.ts';

/** Makes a link with which the user of a managed account sets a password: they have none, or have forgotten it. */
export const passwordLinkRoute = defineRoute({
  method: 'post',
  path: '/api/orgs/{org_id}/members/{user_id}/password-link',
  resource: 'members',
  action: 'password_link',
  access: { org: 'admin' },
  tag: 'Organizations',
  operationId: 'createPasswordLink',
  summary: 'Create a single-use link with which the user of a managed account sets a password',
  description:
    'It is valid for 24 hours; a newer one replaces it. 409 unless this organization manages the account, and its user is a viewer or member of this organization only.',
  params: idParams('org_id', 'user_id'),
  errors: [409],
  response: { status: 200, description: 'The link', schema: passwordLinkSchema },
  handler: async ({ caller, params }, { database }) => {
    const member = await getMember(database, { orgId: caller.orgId, userId: params.user_id });
    rejectUnlessAbove({ caller: caller.role, target: member.role, isSelf: member.userId === caller.userId });
    const { value: token, publicId, secretHash } = newTokenValue('et_pwd');
    const account = { userId: member.userId, orgId: caller.orgId, createdBy: caller.userId };
    const stored = { publicId, secretHash, lifetimeSeconds: PASSWORD_LINK_SECONDS };
    const expiresAt = await makePasswordLink(database, { ...account, ...stored });
    return { token, password_path: `/set-password?token=${token}`, expires_at: expiresAt.toISOString() };
  },
});
