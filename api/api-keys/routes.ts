import { z } from 'zod';
import { nameText } from '../../domain/core/text.ts';
import { pageQuery, timestamp } from '../http/fields.ts';
import { shownEmail } from '../users/schema.ts';
import {
  createApiKey,
  findKeyHolder,
  listApiKeys,
  listOrgKeys,
  revokeApiKey,
  rotateApiKey,
  type ShownApiKey,
} from '../../db/api-keys.ts';
import { withOrgTransaction, withSystemTransactionFor } from '../../db/core/transactions.ts';
import { requireRoomForApiKey } from '../../db/orgs/require-room.ts';
import { present } from '../../domain/core/record-names.ts';
import { rejectUnlessAbove } from '../../domain/orgs.ts';
import { newTokenValue } from '../access/tokens.ts';
import { defineRoute } from '../http/define-route.ts';

const newApiKeySchema = z
  .strictObject({ name: nameText() })
  .meta({ id: 'ApiKeyCreate', examples: [{ name: 'Nightly import' }] });

const apiKeySchema = z
  .object({
    id: z.uuid(),
    org_id: z.uuid(),
    name: z.string(),
    hint: z.string().nullable().meta({ description: 'The last four characters of the key; null for very old keys' }),
    made_by: z.enum(['sign_in', 'device', 'key', 'unknown']).meta({ description: 'How the key was created' }),
    created_at: timestamp,
    updated_at: timestamp,
    last_used_at: timestamp.nullable(),
    expires_at: timestamp
      .nullable()
      .meta({ description: "For keys created with a device, or with such a key: when the device's session expires" }),
  })
  .meta({ id: 'ApiKey' });

const apiKeyWithValueSchema = apiKeySchema
  .extend({ key: z.string().meta({ description: 'The full key; it is shown only once' }) })
  .meta({ id: 'ApiKeyWithValue' });

const memberKeySchema = apiKeySchema.extend({ user_id: z.uuid(), email: shownEmail }).meta({ id: 'MemberApiKey' });

const head = { resource: 'api_keys', access: 'in_org', tag: 'API keys' } as const;

const orgKeyHead = { resource: 'api_keys', access: { org: 'admin' }, tag: 'Organizations' } as const;

const orgKeyRoutes = [
  defineRoute({
    ...orgKeyHead,
    method: 'get',
    path: '/api/orgs/{org_id}/api-keys',
    operationId: 'listMemberApiKeys',
    summary: "List all members' keys for this organization, without their values",
    query: pageQuery,
    response: { status: 200, schema: memberKeySchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const keys = answerPage(await listOrgKeys(database, caller.orgId, query));
      return keys.map((key) => present(memberKeySchema, key, { madeBy: key.madeBy ?? 'unknown' }));
    },
  }),
  defineRoute({
    ...orgKeyHead,
    method: 'delete',
    path: '/api/orgs/{org_id}/api-keys/{key_id}',
    operationId: 'revokeMemberApiKey',
    summary: "Revoke a member's key; it becomes invalid at once",
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

export const apiKeyRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/users/me/api-keys',
    operationId: 'listApiKeys',
    summary: 'List your keys for the organization',
    query: pageQuery,
    response: { status: 200, schema: apiKeySchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listApiKeys(database, caller, query)).map(presentApiKey),
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/users/me/api-keys',
    operationId: 'createApiKey',
    summary: 'Create a key; its value is shown only in this response',
    description:
      'A key acts for its user in the organization that was active, or named, when it was created. One that was created with another key ends with it, and when that is rotated.',
    body: newApiKeySchema,
    errors: [409],
    response: { status: 201, schema: apiKeyWithValueSchema },
    handler: async ({ caller, body: { name } }, { database, orgLimits }) => {
      const { sessionId, keyPublicId } = caller;
      const { value, ...stored } = newTokenValue('et_key');
      const key = await withSystemTransactionFor(database, caller.orgId, async (transaction) => {
        await requireRoomForApiKey(transaction, caller, orgLimits);
        return createApiKey(transaction, caller, { name, sessionId, keyPublicId, ...stored });
      });
      return { ...presentApiKey(key), key: value };
    },
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/users/me/api-keys/{key_id}/rotate',
    action: 'rotate',
    operationId: 'rotateApiKey',
    summary:
      'Rotate a key: it gets a new value, and the old one becomes invalid at once. An API key can rotate itself and those created with it',
    response: { status: 200, description: 'The key with its new value', schema: apiKeyWithValueSchema },
    handler: async ({ caller, params: { key_id: id } }, { database }) => {
      const { orgId, userId, sessionId, keyId } = caller;
      const { value, ...stored } = newTokenValue('et_key');
      const key = await rotateApiKey(database, { orgId, userId, id }, { sessionId, keyId, ...stored });
      return { ...presentApiKey(key), key: value };
    },
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/users/me/api-keys/{key_id}',
    operationId: 'revokeApiKey',
    summary: 'Revoke a key',
    response: { status: 204 },
    handler: async ({ caller, params: { key_id: id } }, { database }) => {
      await withOrgTransaction(database, caller.orgId, (em) => revokeApiKey(em, { id, userId: caller.userId }));
    },
  }),
  ...orgKeyRoutes,
];

/** Returns a key as its user sees it, without its value. */
function presentApiKey(key: ShownApiKey): z.input<typeof apiKeySchema> {
  return present(apiKeySchema, key, { madeBy: key.madeBy ?? 'unknown' });
}
