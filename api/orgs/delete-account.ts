import { deleteAccount } from '../../db/membership-changes/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { checkOwnPassword } from '../users/index.ts';
import { clearAway } from './clear-away.ts';
import { accountDeletionSchema } from './schema.ts';

/** Deletes the caller's account. A managed account is for its organization to delete. */
export const deleteAccountRoute = defineRoute({
  method: 'post',
  path: '/api/users/me/delete',
  resource: 'users',
  action: 'delete',
  access: 'signed_in',
  rejectsManaged: true,
  tag: 'Users',
  operationId: 'deleteCurrentUser',
  summary:
    'Delete your account and the organizations of which you are the only member; hand over or delete the others that you own first',
  body: accountDeletionSchema,
  errors: [403, 409, 429],
  response: { status: 204 },
  handler: async ({ caller: { userId }, body: { current_password: password }, ip, noteOrgs }, context) => {
    await checkOwnPassword(context, { userId, password, ip });
    const { deletedOrgs, leftOrgIds } = await deleteAccount(context.database, userId);
    noteOrgs(...leftOrgIds);
    for (const { orgId, ...deleted } of deletedOrgs) clearAway(context, orgId, deleted);
  },
});
