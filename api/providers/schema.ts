import { z } from 'zod';
import { isStorableJson, nameText, text } from '../../domain/core/text.ts';
import { timestamp } from '../core/fields.ts';

export const AUTH_TYPES = ['apikey', 'oauth', 'none'] as const;

const credentials = z
  .record(z.string().min(1).max(100), z.unknown())
  .refine((value) => isStorableJson(value, 5), 'must hold storable text and nest at most 5 levels')
  .refine((value) => JSON.stringify(value).length <= 20_000, 'must not exceed 20,000 characters')
  .refine(({ api_key: key }) => key === undefined || (typeof key === 'string' && /^[\x21-\x7e]{1,4096}$/.test(key)), {
    error: 'must be printable ASCII without blanks',
    path: ['api_key'],
  });

const fields = {
  provider_type: z.string().min(1).max(100),
  name: nameText(),
  auth_type: z.enum(AUTH_TYPES),
  model_name: nameText().nullable(),
  base_url: text(2_000).min(1).nullable(),
  cooldown_seconds: z.int().min(0).max(86_400),
  shared: z.boolean().meta({
    description: 'Whether it serves everybody in the organization, not its owner alone; administrators decide that',
  }),
};

export const newProviderSchema = z.strictObject({
  ...fields,
  auth_type: fields.auth_type.default('apikey'),
  credentials: credentials.default({}),
  model_name: fields.model_name.default(null),
  base_url: fields.base_url.default(null),
  cooldown_seconds: fields.cooldown_seconds.default(60),
  shared: fields.shared.optional(),
});

export const providerChangesSchema = z
  .strictObject({ ...fields, credentials })
  .omit({ provider_type: true })
  .partial();

export const providerSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Who added it; null when their user is gone' }),
    ...fields,
    has_credentials: z.boolean(),
    status: z.enum(['active', 'cooling_down', 'disabled']),
    cooldown_until: timestamp.nullable().meta({ description: 'While it cools down: when it is used again' }),
    disabled_reason: z.string().nullable(),
    last_used_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Provider' });

export const catalogEntrySchema = z
  .object({
    key: z.string(),
    name: z.string(),
    description: z.string(),
    auth_type: z.enum(AUTH_TYPES),
    stream_type: z.string(),
    base_url: z.string().nullable(),
    requires_base_url: z.boolean(),
    default_model: z.string().nullable(),
    models: z.array(z.string()),
    website: z.string().nullable(),
    category: z.string(),
  })
  .meta({ id: 'CatalogEntry' });

export const probeSchema = z
  .object({
    ok: z.boolean(),
    latency_ms: z.int().nullable().meta({ description: 'Milliseconds until the first word' }),
    model: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'ProviderTest' });
