import { useMutation, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useAnswer, useRecordActions, useSend } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type Provider = Schemas['Provider'];
export type CatalogEntry = Schemas['CatalogEntry'];
export type CredentialForm = Schemas['ProviderCredentialForm'];
type OfferedModel = Schemas['ProviderModel'];
export type ProviderSignIn = Schemas['ProviderSignIn'];
export type ProviderChanges = Schemas['ProviderUpdate'];

/** Which sign-in at a provider it is: a person has one of each name. */
type SignInRef = Pick<ProviderSignIn, 'provider' | 'account_name'>;

const LIMIT = 1_000;
const OFFERED_STALE_MS = 300_000;
const POLL_MS = 2_000;

/** Returns the accounts that the user may see; read again when one of them has cooled down. */
export function useProviders(isWanted = true): UseQueryResult<Provider[]> {
  return useAnswer(['providers'], '/api/providers', {
    params: { query: { limit: LIMIT } },
    enabled: isWanted,
    refetchInterval: ({ state }) => untilCooled(state.data ?? []),
  });
}

/** Returns whether an account is used although its last call failed. */
export function isFailing({ status, last_failure: failure }: Pick<Provider, 'status' | 'last_failure'>): boolean {
  return status === 'active' && failure !== null;
}

/** Returns one account; read again when it has cooled down. */
export function useProvider(id: string): UseQueryResult<Provider> {
  return useAnswer(['providers', 'one', id], '/api/providers/{provider_id}', {
    params: at(id),
    refetchInterval: ({ state }) => untilCooled(state.data === undefined ? [] : [state.data]),
  });
}

/** Returns the providers that accounts can be at. */
export function useCatalog(): UseQueryResult<CatalogEntry[]> {
  return useAnswer(['providers', 'catalog'], '/api/providers/catalog', {
    params: { query: { limit: LIMIT } },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * Returns the models that a provider offers to an account. It asks the provider, once `isWanted`: not below the key of
 * the accounts, each change of which would ask again.
 */
export function useOfferedModels(id: string, isWanted: boolean): UseQueryResult<OfferedModel[]> {
  return useAnswer(['provider-models', id], '/api/providers/{provider_id}/models', {
    params: { ...at(id), query: { limit: LIMIT } },
    enabled: isWanted,
    staleTime: OFFERED_STALE_MS,
    // A provider without a list has none at the second try either.
    retry: false,
  });
}

/** Returns what adds an account. */
export function useAddProvider() {
  return useSend(async (api, body: Schemas['ProviderCreate']) => api.POST('/api/providers', { body }), {
    // What it was given holds a key, which the cache would keep for minutes.
    gcTime: 0,
    reads: [['providers']],
  });
}

/** Returns what asks an account for one word, and says how long that took or why it failed. */
export function useTestProvider() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async (id: string) => answerOf(api.POST('/api/providers/{provider_id}/test', { params: at(id) })),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: [orgId, 'providers'], exact: true });
      await cache.invalidateQueries({ queryKey: [orgId, 'providers', 'one'] });
    },
  });
}

/** Returns what changes, deletes and restores accounts, and reads them again. */
export function useProviderActions() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const { read, change, remove } = useRecordActions('providers', '/api/providers', '/api/providers/{provider_id}');
  return {
    read,
    change: async (id: string, body: ProviderChanges, version?: string) => {
      await change(id, body, version);
      void cache.invalidateQueries({ queryKey: [orgId, 'provider-models', id] });
    },
    remove,
    restore: async (id: string) => {
      await answerOf(api.PATCH('/api/providers/{provider_id}/restore', { params: at(id) }));
      await read();
    },
    purge: async (id: string) => {
      await answerOf(api.DELETE('/api/providers/{provider_id}/purge', { params: at(id) }));
      await cache.invalidateQueries({ queryKey: [orgId, 'providers'], exact: true });
    },
  };
}

/** Returns how a sign-in at a provider stands, looked at until it has come to an end. */
export function useSignIn(begun: ProviderSignIn): UseQueryResult<ProviderSignIn> {
  const path = refOf(begun);
  return useAnswer(['provider-sign-ins', path], '/api/providers/auth/{provider}/status/{account_name}', {
    params: { path },
    initialData: begun,
    gcTime: 0,
    refetchInterval: ({ state }) => (isUnderWay(state.data ?? begun) ? POLL_MS : false),
  });
}

/** Returns what begins a sign-in at a provider, sends its code, and makes an account of it. */
export function useSignInActions() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return {
    start: async (providerType: string, accountName: string) => {
      const body = { provider_type: providerType, account_name: accountName };
      return answerOf(api.POST('/api/providers/auth/start', { body }));
    },
    sendCode: async (ref: SignInRef, code: string) => {
      const path = refOf(ref);
      const stands = await answerOf(
        api.POST('/api/providers/auth/{provider}/code/{account_name}', { params: { path }, body: { code } }),
      );
      cache.setQueryData([orgId, 'provider-sign-ins', path], stands);
    },
    complete: async (ref: SignInRef) => {
      const params = { path: refOf(ref) };
      const added = await answerOf(
        api.POST('/api/providers/auth/{provider}/complete/{account_name}', { params, body: {} }),
      );
      await cache.invalidateQueries({ queryKey: [orgId, 'providers'], exact: true });
      return added;
    },
  };
}

function isUnderWay({ status }: ProviderSignIn): boolean {
  return status === 'pending' || status === 'awaiting_code' || status === 'verifying';
}

function refOf({ provider, account_name }: SignInRef): SignInRef {
  return { provider, account_name };
}

function at(id: string) {
  return { path: { provider_id: id } };
}

/** Returns in how many milliseconds the first of some accounts has cooled down; false when none cools down. */
function untilCooled(accounts: readonly Provider[]): number | false {
  const times = accounts.flatMap(({ status, cooldown_until: until }) =>
    status === 'cooling_down' && until !== null ? [Date.parse(until) - Date.now()] : [],
  );
  return times.length === 0 ? false : Math.max(1_000, Math.min(...times) + 500);
}
