import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useAnswer, useFirstPage, useRecordActions } from '../core/http/use-answer.ts';
import { answerOf } from '../core/http/api-client.ts';
import { Problem } from '../core/http/problem.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

type Schemas = components['schemas'];
export type Integration = Schemas['Integration'];
export type IntegrationKind = Schemas['IntegrationKindDetails'];
export type NewIntegration = Schemas['IntegrationCreate'];

export type StartedSignIn = Schemas['IntegrationSignIn'];
type SignInStatus = Schemas['IntegrationSignInStatus'];

const query = { limit: 1_000 };
const POLL_MS = 2_000;

/** Returns the integrations of the organization. */
export function useIntegrations(): UseQueryResult<{ items: Integration[]; total: number }> {
  return useFirstPage(['integrations', 'list'], '/api/integrations', { params: { query } });
}

/** Returns one integration. */
export function useIntegration(id: string): UseQueryResult<Integration> {
  return useAnswer(['integrations', 'one', id], '/api/integrations/{integration_id}', {
    params: { path: { integration_id: id } },
  });
}

/** Returns the kinds of integrations there are, with what each needs. */
export function useKinds(): UseQueryResult<IntegrationKind[]> {
  return useAnswer(['integrations', 'kinds'], '/api/integrations/kinds', {
    params: { query },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns how a sign-in that was begun stands, looked at until it has come to an end, or may not be looked at. */
export function useSignInStatus(id: string): UseQueryResult<SignInStatus> {
  return useAnswer(['integration-sign-ins', id], '/api/integrations/{integration_id}/oauth/status', {
    params: { path: { integration_id: id } },
    gcTime: 0,
    refetchInterval: ({ state }) => (isUnderWay(state.data) && !isRefusal(state.error) ? POLL_MS : false),
  });
}

/** Returns whether a problem is no passing one: to ask again leads to the same answer. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Problem && !error.isPassing;
}

function isUnderWay(state: SignInStatus | undefined): boolean {
  return state === undefined || state.status === 'waiting' || state.status === 'verifying';
}

/** Returns what adds, tests, changes and deletes integrations, and reads them again. */
export function useIntegrationActions() {
  const records = useRecordActions('integrations', '/api/integrations', '/api/integrations/{integration_id}');
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const at = (id: string) => ({ path: { integration_id: id } });
  const test = async (id: string) => {
    try {
      return await answerOf(api.POST('/api/integrations/{integration_id}/test', { params: at(id) }));
    } finally {
      await records.read();
    }
  };
  return {
    ...records,
    /** Adds one. An agent of another platform is tested at once, and its page shows the result. */
    add: async (body: NewIntegration): Promise<Integration> => {
      const added = await records.add(body);
      if (added.kind === 'a2a') void test(added.id).catch(() => undefined);
      return added;
    },
    test,
    /** Deletes one; 409 while tools name it, unless that is to be so. */
    remove: async (id: string, isForced: boolean) => records.remove(id, isForced ? { force: true } : {}),
    /** Begins to sign in, and returns where that is done. Without scopes the usual ones are asked for. */
    beginSignIn: async (id: string, scopes: string[]): Promise<StartedSignIn> => {
      const started = await answerOf(
        api.POST('/api/integrations/{integration_id}/oauth/start', { params: at(id), body: { scopes } }),
      );
      // What is known of a sign-in before it says nothing about this one.
      cache.removeQueries({ queryKey: [orgId, 'integration-sign-ins', id] });
      return started;
    },
  };
}
