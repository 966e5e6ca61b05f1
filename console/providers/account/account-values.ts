import { credentialsOf, formOf, type Way, wayOf } from '../credentials/ways.ts';
import type { CatalogEntry, Provider, ProviderChanges } from '../queries.ts';

/** What the form of an account changes, by the names that the api has for it; an empty text stands for null. */
export interface AccountValues {
  readonly name: string;
  readonly model_name: string;
  readonly base_url: string;
  /** How it signs in. */
  readonly way: Way;
  /** The new credentials; the stored ones are never known here. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly cooldown_seconds: number;
  readonly shared: boolean;
}

/** Returns what the form changes of a stored account. */
export function valuesOf(account: Provider, entry: CatalogEntry | undefined): AccountValues {
  return {
    name: account.name,
    model_name: account.model_name ?? '',
    base_url: account.base_url ?? '',
    way: wayOf(account, entry),
    credentials: {},
    cooldown_seconds: account.cooldown_seconds,
    shared: account.shared,
  };
}

/** Returns what is sent of changed values: credentials as a whole, when some were entered or the way changes. */
export function changesOf(
  { model_name: model, base_url: url, way, credentials, ...rest }: Partial<AccountValues>,
  values: AccountValues,
  entry: CatalogEntry | undefined,
): ProviderChanges {
  const sent = credentialsOf(formOf(entry, values.way), values.credentials);
  const isEntered = credentials !== undefined && Object.keys(sent.credentials).length > 0;
  return {
    ...rest,
    ...(model !== undefined && { model_name: model === '' ? null : model }),
    ...(url !== undefined && { base_url: url === '' ? null : url }),
    ...((way !== undefined || isEntered) && sent),
  };
}
