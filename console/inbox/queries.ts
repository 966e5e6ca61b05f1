import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLive } from '../core/events/live.ts';
import { type Api, answerOf, pageOf } from '../core/http/api-client.ts';
import { Problem } from '../core/http/problem.ts';
import { type Pages, usePages } from '../core/http/use-pages.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Approval = components['schemas']['Approval'];
export type ApprovalStatus = components['schemas']['ApprovalStatus'];
export type Decision = components['schemas']['ApprovalDecision'];

/** What is waited for, with the number of all of it. */
export interface PendingApprovals {
  readonly items: readonly Approval[];
  readonly total: number;
}

/** How often what waits is looked for on pages that only count it. */
const COUNT_MS = 60_000;

/**
 * Returns the decisions that are waited for, newest first. All parts of the console share it: the inbox, Home, and the
 * number in the navigation. Events tell when it has changed; without them it is read every minute while somebody
 * looks, or as often as `everyMs` says.
 */
export function usePendingApprovals(enabled: boolean, everyMs = COUNT_MS): UseQueryResult<PendingApprovals> {
  const [api, orgId, isLive] = [useApi(), useOrgId(), useLive()];
  return useQuery({
    queryKey: [orgId, 'approvals', 'pending'],
    queryFn: async ({ signal }) =>
      pageOf(api.GET('/api/approvals', { params: { query: { status: 'pending' } }, signal })),
    enabled,
    refetchInterval: !isLive && everyMs,
  });
}

/** Returns what was decided, or is no longer waited for, newest first and page by page. What waits is among it. */
export function useDecidedApprovals(status: ApprovalStatus | undefined): Pages<Approval> {
  const [api, orgId] = [useApi(), useOrgId()];
  return usePages({
    queryKey: [orgId, 'approvals', 'decided', status],
    read: async ({ signal, ...page }) => {
      const query = { ...page, ...(status !== undefined && { status }) };
      return pageOf(api.GET('/api/approvals', { params: { query }, signal }));
    },
    keyOf: ({ id }) => id,
  });
}

/** What became of a decision. `approval` is how it stands now; undefined when it is gone. */
export type Outcome =
  | { readonly kind: 'decided'; readonly approval: Approval }
  | { readonly kind: 'elsewhere'; readonly approval: Approval | undefined; readonly problem: Problem }
  | { readonly kind: 'failed'; readonly id: string; readonly problem: Problem };

/** Returns what decides about several approvals, one after the other, and says what became of each. */
export function useDecide() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async ({ ids, decision }: { readonly ids: readonly string[]; readonly decision: Decision }) => {
      const outcomes: Outcome[] = [];
      for (const id of ids) outcomes.push(await decide(api, id, decision));
      return outcomes;
    },
    onSettled: async () => cache.invalidateQueries({ queryKey: [orgId, 'approvals'] }),
  });
}

async function decide(api: Api, id: string, body: Decision): Promise<Outcome> {
  const params = { path: { approval_id: id } };
  try {
    const approval = await answerOf(api.POST('/api/approvals/{approval_id}/decision', { params, body }));
    return { kind: 'decided', approval };
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status !== 409 && problem.status !== 404) return { kind: 'failed', id, problem };
    // Somebody else was faster, or it waits no longer: how it stands says which.
    const approval = await answerOf(api.GET('/api/approvals/{approval_id}', { params })).catch(() => undefined);
    return { kind: 'elsewhere', approval, problem };
  }
}
