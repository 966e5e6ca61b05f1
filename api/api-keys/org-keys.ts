import { findKeyHolder, listOrgKeys, revokeApiKey } from '../../db/api-keys/index.ts';
import { withOrgTransaction } from '../../db/core/index.ts';
import { rejectUnlessAbove } from '../../domain/orgs/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { memberKeySchema } from './schema.ts';

const head = { resource: 'api_keys', access: { org: 'admin' }, tag: 'Organizations' } as const;

export const orgKeyRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/orgs/{org_id}/api-keys',
    operationId: 'listMemberApiKeys',
    summary: "All members' keys for this organization, without their values",
    params: idParams('org_id'),
    query: pageQuery,
    response: { status: 200, schema: memberKeySchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const keys = answerPage(await listOrgKeys(database, caller.orgId, query));
      return keys.map((key) => present(memberKeySchema, key, { madeBy: key.madeBy ?? 'unknown' }));
    },
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/orgs/{org_id}/api-keys/{key_id}',
    operationId: 'revokeMemberApiKey',
    summary: "Revoke a member's key; it becomes invalid at once",
    params: idParams('org_id', 'key_id'),
    response: { status: 204 },
    handler: async ({ caller, params: { key_id: id }, noteRecords }, { database }) => {
      const { orgId, userId } = caller;
      const holder = await findKeyHolder(database, { orgId, keyId: id });
      noteRecords(holder.userId);
      rejectUnlessAbove({ caller: caller.role, target: holder.role, isSelf: holder.userId === userId });
      await withOrgTransaction(database, orgId, (em) => revokeApiKey(em, { id, userId: holder.userId }));
    },
  }),
];
