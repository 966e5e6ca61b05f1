import type { z } from 'zod';
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from '../../db/api-keys/index.ts';
import { announceAccessChange } from '../../db/auth/index.ts';
import { inOrg } from '../../db/core/index.ts';
import { defineRoute } from '../core/define-route.ts';
import { idParams, pageQuery } from '../core/fields.ts';
import { newTokenValue } from '../core/token-value.ts';
import { apiKeySchema, apiKeyWithValueSchema, newApiKeySchema } from './schema.ts';

const head = { access: 'in_org', tag: 'API keys' } as const;
const params = idParams('key_id');

export const apiKeyRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/users/me/api-keys',
    summary: 'Your keys for the organization',
    query: pageQuery,
    response: { status: 200, schema: apiKeySchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listApiKeys(database, caller, query)).map(presentApiKey),
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/users/me/api-keys',
    summary: 'Create a key; its value is shown only in this answer',
    body: newApiKeySchema,
    response: { status: 201, schema: apiKeyWithValueSchema },
    handler: async ({ caller, body }, { database }) => {
      const { value, ...stored } = newTokenValue('et_key');
      const { orgId, userId } = caller;
      const key = await inOrg(database, orgId, async (em) =>
        createApiKey(em, { orgId, userId, name: body.name, ...stored }),
      );
      return { ...presentApiKey(key), key: value };
    },
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/users/me/api-keys/{key_id}/rotate',
    summary: 'Give a key a new value; the old one is worthless at once',
    params,
    response: { status: 200, schema: apiKeyWithValueSchema },
    handler: async ({ caller, params: { key_id: id } }, { database }) => {
      const { value, ...stored } = newTokenValue('et_key');
      const key = await inOrg(database, caller.orgId, (em) => rotateApiKey(em, { id, userId: caller.userId }, stored));
      await announceAccessChange(database, caller.userId);
      return { ...presentApiKey(key), key: value };
    },
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/users/me/api-keys/{key_id}',
    summary: 'Revoke a key',
    params,
    response: { status: 204 },
    handler: async ({ caller, params: { key_id: id } }, { database }) => {
      await inOrg(database, caller.orgId, (em) => revokeApiKey(em, { id, userId: caller.userId }));
      await announceAccessChange(database, caller.userId);
    },
  }),
];

function presentApiKey(key: ApiKey): z.input<typeof apiKeySchema> {
  return {
    id: key.id,
    name: key.name,
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
