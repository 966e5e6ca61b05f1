import { z } from 'zod';
import { type CatalogEntry, whyUnavailable } from '../../builtin/index.ts';
import { type SecretBox, whyUnreadable } from '../../db/core/secret-box.ts';
import type { ProviderAccount } from '../../db/providers/provider-account.entity.ts';
import type { WorkerLacks } from '../../db/workers.ts';
import {
  AUTH_TYPES,
  type CredentialForm,
  credentialFormsOf,
  isCliProvider,
} from '../../domain/providers/credential-forms.ts';
import { present } from '../../domain/core/record-names.ts';
import type { ProbeResult } from '../../workflows/short/contract.ts';
import { authTypesOf } from './rules.ts';
import { isStorableJson, nameText, text } from '../../domain/core/text.ts';
import { deletionFields, timestamp } from '../http/fields.ts';

const credentials = z
  .record(z.string().min(1).max(100), z.unknown())
  .refine((value) => isStorableJson(value, 5), 'must be storable text nested at most 5 levels')
  .refine((value) => JSON.stringify(value).length <= 20_000, 'must not exceed 20,000 characters')
  .refine(({ api_key: key }) => key === undefined || (typeof key === 'string' && /^[\x21-\x7e]{1,4096}$/.test(key)), {
    error: 'must be printable ASCII without blanks',
    path: ['api_key'],
  })
  .meta({
    description: 'The fields required by the provider, usually `api_key`; stored encrypted and never shown',
    examples: [{ api_key: 'sk-example' }],
  });

const fields = {
  provider_type: z.string().min(1).max(100).meta({ description: 'The key of a provider in the catalog' }),
  name: nameText(),
  auth_type: z.enum(AUTH_TYPES),
  model_name: nameText()
    .nullable()
    .meta({ description: 'The model to use, as its provider names it; null means the default of the catalog' }),
  base_url: text(2_000)
    .min(1)
    .meta({ format: 'uri' })
    .nullable()
    .meta({ description: "The address of calls; null means the provider's own" }),
  cooldown_seconds: z.int().min(0).max(86_400).meta({
    description:
      'The minimum cooldown of the account after its provider rejected a call because of a rate limit or quota',
  }),
  shared: z.boolean().meta({
    description: 'Whether it serves everybody in the organization, not only its owner; set by administrators',
  }),
};

export const newProviderSchema = z
  .strictObject({
    ...fields,
    auth_type: fields.auth_type
      .optional()
      .meta({ description: '`apikey` by default, and `none` for a provider that needs no key when none is given' }),
    credentials: credentials.default({}),
    model_name: fields.model_name.default(null),
    base_url: fields.base_url.default(null),
    cooldown_seconds: fields.cooldown_seconds.default(60),
    shared: fields.shared.optional(),
    test: z
      .boolean()
      .default(false)
      .meta({ description: 'Make one small call first; if it fails, 422 says why and nothing is stored' }),
  })
  .meta({
    id: 'ProviderCreate',
    examples: [{ provider_type: 'openai', name: 'Team account', credentials: { api_key: 'sk-example' } }],
  });

export const providerChangesSchema = z
  .strictObject({ ...fields, credentials })
  .omit({ provider_type: true })
  .partial()
  .meta({ id: 'ProviderUpdate', examples: [{ cooldown_seconds: 30 }] });

export const providerSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Who added it; null when that user was deleted' }),
    ...fields,
    has_credentials: z.boolean().meta({ description: 'Whether credentials are stored; they are never shown' }),
    status: z.enum(['active', 'cooling_down', 'disabled']),
    cooldown_until: timestamp.nullable().meta({ description: 'While it is cooling down: when it will be used again' }),
    disabled_reason: z.string().nullable().meta({ description: 'Why it is disabled, human-readable' }),
    last_used_at: timestamp.nullable(),
    last_failure: z.string().nullable().meta({
      description: 'Why the last call failed, human-readable; null once a call has succeeded again',
    }),
    last_failed_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    ...deletionFields,
  })
  .meta({ id: 'Provider' });

const credentialFormSchema = z
  .object({
    key: z.enum(['api_key', 'access_token', 'aws_keys', 'service_account']),
    name: z.string().meta({ description: 'Its display name' }),
    entries: z
      .object({
        name: z.string(),
        description: z.string(),
        is_optional: z.boolean(),
        format: z.enum(['token', 'region', 'google_key_file']).meta({
          description:
            '`token`: ASCII without spaces; `region`: the name of a region; `google_key_file`: the JSON key file of a service account',
        }),
        is_secret: z.boolean().meta({
          description: 'False for fields that are not secret, such as a key id, although they too are stored encrypted',
        }),
      })
      .array(),
  })
  .meta({ id: 'ProviderCredentialForm' });

export const catalogEntrySchema = z
  .object({
    key: z.string(),
    name: z.string(),
    description: z.string(),
    auth_type: z.enum(AUTH_TYPES),
    auth_types: z
      .enum(AUTH_TYPES)
      .array()
      .meta({ description: 'The possible `auth_type` values of an account, the usual one first' }),
    credential_forms: credentialFormSchema
      .array()
      .meta({ description: 'The alternative sets of `credentials` for the `auth_type` `apikey`' }),
    stream_type: z.string().meta({ description: 'The wire format of the provider' }),
    base_url: z.string().nullable(),
    requires_base_url: z.boolean().meta({ description: 'Whether an account needs a `base_url`' }),
    default_model: z.string().nullable().meta({ description: 'The default model' }),
    models: z.array(z.string()),
    embedding_models: z
      .array(z.string())
      .meta({ description: 'The embedding models for knowledge bases, the default first' }),
    website: z.string().nullable(),
    category: z.string(),
    available: z.boolean().meta({ description: 'Whether this version can use accounts of this provider' }),
    unavailable_reason: z.string().nullable().meta({ description: 'Why it is not available, human-readable' }),
  })
  .meta({ id: 'CatalogEntry' });

export const probeSchema = z
  .object({
    ok: z.boolean(),
    latency_ms: z.int().nullable().meta({ description: 'Milliseconds until the first token' }),
    model: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'ProviderTest' });

export const offeredModelSchema = z
  .object({
    id: z.string().meta({ description: 'The value for `model_name` of an account or chain step' }),
    name: z.string().nullable().meta({ description: 'Its display name, if the provider gives one' }),
  })
  .meta({ id: 'ProviderModel' });

/** Returns a provider account as the API shows it: of its credentials, only whether there are any. */
export function presentProvider(account: ProviderAccount, box: SecretBox): z.input<typeof providerSchema> {
  const { userId: ownerId, credentials, cooldownUntil } = account;
  const disabledReason = account.disabledReason ?? whyUnreadable(box, credentials);
  const coolsUntil = cooldownUntil !== null && cooldownUntil > new Date() ? cooldownUntil : null;
  return present(providerSchema, account, {
    ownerId,
    hasCredentials: credentials !== null,
    status: statusOf(disabledReason, coolsUntil),
    cooldownUntil: coolsUntil,
    disabledReason,
  });
}

function statusOf(disabledReason: string | null, coolsUntil: Date | null): 'active' | 'cooling_down' | 'disabled' {
  if (disabledReason !== null) return 'disabled';
  return coolsUntil === null ? 'active' : 'cooling_down';
}

/** Returns an entry of the provider catalog; `lacking` says which programs of providers the workers lack. */
export function presentCatalogEntry(entry: CatalogEntry, lacking: WorkerLacks): z.input<typeof catalogEntrySchema> {
  const unavailableReason = whyUnavailable(entry) ?? (isCliProvider(entry.key) ? (lacking[entry.key] ?? null) : null);
  const authTypes = authTypesOf(entry);
  return present(catalogEntrySchema, entry, {
    authTypes,
    credentialForms: authTypes.includes('apikey') ? credentialFormsOf(entry.key).map(presentForm) : [],
    available: unavailableReason === null,
    unavailableReason,
  });
}

function presentForm({ key, name, entries }: CredentialForm) {
  return {
    key,
    name,
    entries: entries.map(({ isOptional, isPlain, ...entry }) => ({
      ...entry,
      isOptional: isOptional === true,
      isSecret: isPlain !== true,
    })),
  };
}

const NO_RESULT = { latencyMs: null, model: null, error: null };

/** Returns the result of a test call. */
export function presentProbe(result: ProbeResult): z.input<typeof probeSchema> {
  return present(probeSchema, { ...NO_RESULT, ...result });
}
