import { type CatalogEntry, type Provider, useCatalog, useProviders } from '../providers/index.ts';

/** What is known about the providers that steps name. */
export interface KnownProviders {
  readonly entries: readonly CatalogEntry[];
  /** The accounts that the user can see; undefined until they are known. */
  readonly accounts: readonly Provider[] | undefined;
  nameOf(type: string): string;
}

/** Returns what is known about the providers that steps name. */
export function useKnownProviders(): KnownProviders {
  const [{ data: entries = [] }, { data: accounts }] = [useCatalog(), useProviders()];
  const names = new Map(entries.map(({ key, name }) => [key, name]));
  return { entries, accounts, nameOf: (type) => names.get(type) ?? type };
}
