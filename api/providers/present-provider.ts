import type { z } from 'zod';
import { type CatalogEntry, whyUnavailable } from '../../builtin/index.ts';
import type { ProviderAccount } from '../../db/providers/index.ts';
import type { ProbeResult } from '../../workflows/providers/contract.ts';
import { AUTH_TYPES, type catalogEntrySchema, type probeSchema, type providerSchema } from './schema.ts';

/** A provider account as the API shows it: of its credentials only whether there are any. */
export function presentProvider(account: ProviderAccount): z.input<typeof providerSchema> {
  const coolsUntil =
    account.cooldownUntil !== null && account.cooldownUntil > new Date() ? account.cooldownUntil : null;
  return {
    id: account.id,
    owner_id: account.userId,
    provider_type: account.providerType,
    name: account.name,
    auth_type: AUTH_TYPES.find((type) => type === account.authType) ?? 'none',
    model_name: account.modelName,
    base_url: account.baseUrl,
    cooldown_seconds: account.cooldownSeconds,
    shared: account.shared,
    has_credentials: account.credentials !== null,
    status: statusOf(account, coolsUntil),
    cooldown_until: coolsUntil?.toISOString() ?? null,
    disabled_reason: account.disabledReason,
    last_used_at: account.lastUsedAt?.toISOString() ?? null,
    created_at: account.createdAt.toISOString(),
    updated_at: account.updatedAt.toISOString(),
  };
}

function statusOf({ disabledAt }: ProviderAccount, coolsUntil: Date | null): 'active' | 'cooling_down' | 'disabled' {
  if (disabledAt !== null) return 'disabled';
  return coolsUntil === null ? 'active' : 'cooling_down';
}

/** A provider that accounts can be made for. */
export function presentCatalogEntry(entry: CatalogEntry): z.input<typeof catalogEntrySchema> {
  return {
    key: entry.key,
    name: entry.name,
    description: entry.description,
    auth_type: entry.authType,
    stream_type: entry.streamType,
    base_url: entry.baseUrl,
    requires_base_url: entry.requiresBaseUrl,
    default_model: entry.defaultModel,
    models: [...entry.models],
    website: entry.website,
    category: entry.category,
    available: whyUnavailable(entry) === null,
    unavailable_reason: whyUnavailable(entry),
  };
}

/** What a test call came to. */
export function presentProbe(result: ProbeResult): z.input<typeof probeSchema> {
  return result.ok
    ? { ok: true, latency_ms: result.latencyMs, model: result.model, error: null }
    : { ok: false, latency_ms: null, model: null, error: result.error };
}
