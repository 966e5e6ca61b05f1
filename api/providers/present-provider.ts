import type { z } from 'zod';
import { type CatalogEntry, whyUnavailable } from '../../builtin/index.ts';
import { type SecretBox, whyUnreadable } from '../../db/core/index.ts';
import type { ProviderAccount } from '../../db/providers/index.ts';
import type { WorkerLacks } from '../../db/workers.ts';
import { type CredentialForm, credentialFormsOf, isCliProvider } from '../../domain/providers/index.ts';
import { present } from '../../domain/core/record-names.ts';
import type { ProbeResult } from '../../workflows/short/contract.ts';
import { authTypesOf } from './rules.ts';
import { catalogEntrySchema, probeSchema, providerSchema } from './schema.ts';

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
