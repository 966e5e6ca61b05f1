import type { Provider, ProviderChanges } from '../queries.ts';

/** What the form of an account changes, by the names that the api has for it; an empty text stands for null. */
export interface AccountValues {
  readonly name: string;
  readonly model_name: string;
  readonly base_url: string;
  /** The new key; the stored one is never known here. */
  readonly api_key: string;
  readonly cooldown_seconds: number;
  readonly shared: boolean;
}

/** Returns what the form changes of a stored account. */
export function valuesOf(account: Provider): AccountValues {
  return {
    name: account.name,
    model_name: account.model_name ?? '',
    base_url: account.base_url ?? '',
    api_key: '',
    cooldown_seconds: account.cooldown_seconds,
    shared: account.shared,
  };
}

/** Returns what is sent of changed values. A key makes an account that had none one with a key. */
export function changesOf({ model_name: model, base_url: url, api_key: key, ...rest }: Partial<AccountValues>) {
  const changes: ProviderChanges = {
    ...rest,
    ...(model !== undefined && { model_name: model === '' ? null : model }),
    ...(url !== undefined && { base_url: url === '' ? null : url }),
    ...(key !== undefined && key !== '' && { auth_type: 'apikey', credentials: { api_key: key } }),
  };
  return changes;
}
