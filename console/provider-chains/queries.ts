import type { UseQueryResult } from '@tanstack/react-query';
import { useAnswer, useRecordActions } from '../core/http/use-answer.ts';
import type { components } from '../openapi.ts';
import { type CatalogEntry, type Provider, useCatalog, useProviders } from '../providers/queries.ts';

type Schemas = components['schemas'];
export type Chain = Schemas['ProviderChain'];
export type ChainStep = Schemas['ProviderChainStep'];
export type NewChain = Schemas['ProviderChainCreate'];
const LIMIT = 1_000;

/** Returns the chains of the organization; asks for nothing while it is off. */
export function useChains(enabled = true): UseQueryResult<Chain[]> {
  return useAnswer(['provider-chains'], '/api/providers/chains', { params: { query: { limit: LIMIT } }, enabled });
}

/** Returns one chain. */
export function useChain(id: string): UseQueryResult<Chain> {
  return useAnswer(['provider-chains', 'one', id], '/api/providers/chains/{chain_id}', { params: at(id) });
}

/** Returns what adds, changes and deletes chains, and reads them again. */
export function useChainActions() {
  return useRecordActions('provider-chains', '/api/providers/chains', '/api/providers/chains/{chain_id}');
}

function at(id: string) {
  return { path: { chain_id: id } };
}

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
