import type { z } from 'zod';
import { withSystemTransactionFor } from '../../db/core/index.ts';
import { createInvite, type Invite, listInvites, revokeInvite } from '../../db/invites/index.ts';
import { requireRoomForInvite } from '../../db/orgs/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { mayGrant } from '../../domain/orgs/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { newTokenValue } from '../access/token-value.ts';
import { installLineForPowerShell, installLineForSh } from './install-lines.ts';
import { INVITED_ROLES, inviteSchema, inviteWithTokenSchema, newInviteSchema } from './schema.ts';

const head = { resource: 'invites', access: { org: 'admin' }, tag: 'Organizations' } as const;
const INVITE_SECONDS = 7 * 24 * 60 * 60;

export const manageInvitesRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/orgs/{org_id}/invites',
    operationId: 'listInvites',
    summary: 'The invites that can still be used, newest first',
    params: idParams('org_id'),
    query: pageQuery,
    response: { status: 200, schema: inviteSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listInvites(database, caller.orgId, query)).map(presentInvite),
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/orgs/{org_id}/invites',
    operationId: 'createInvite',
    summary: 'Invite somebody; the token is shown only in this response and is good for one use within seven days',
    description:
      'With an e-mail address the invite is good for that address only, and the response holds shell lines that sign a device in with it.',
    params: idParams('org_id'),
    body: newInviteSchema,
    errors: [409],
    response: { status: 201, schema: inviteWithTokenSchema },
    handler: async ({ caller, body }, { database, publicUrl, orgLimits }) => {
      if (!mayGrant(caller.role, body.role)) throw new AppError('forbidden', 'Only the owner may invite admins');
      const { value: token, ...stored } = newTokenValue('et_inv');
      const fields = {
        orgId: caller.orgId,
        createdBy: caller.userId,
        role: body.role,
        email: body.email ?? null,
        fullName: body.full_name ?? '',
        lifetimeSeconds: INVITE_SECONDS,
      };
      const invite = await withSystemTransactionFor(database, caller.orgId, async (transaction) => {
        await requireRoomForInvite(transaction, caller.orgId, orgLimits);
        return createInvite(transaction, fields, stored);
      });
      return {
        ...presentInvite(invite),
        token,
        invite_path: `/join?token=${token}`,
        ...(invite.email !== null && {
          cli_install_sh: installLineForSh({ publicUrl, token }),
          cli_install_ps: installLineForPowerShell({ publicUrl, token }),
        }),
      };
    },
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/orgs/{org_id}/invites/{invite_id}',
    operationId: 'revokeInvite',
    summary: 'Revoke an invite',
    params: idParams('org_id', 'invite_id'),
    response: { status: 204 },
    handler: async ({ caller, params }, { database }) => {
      const roles = INVITED_ROLES.filter((role) => mayGrant(caller.role, role));
      await revokeInvite(database, { orgId: caller.orgId, id: params.invite_id }, roles);
    },
  }),
];

// A missing name is stored as an empty text.
function presentInvite(invite: Invite): z.input<typeof inviteSchema> {
  return present(inviteSchema, invite, { fullName: invite.fullName === '' ? null : invite.fullName });
}
