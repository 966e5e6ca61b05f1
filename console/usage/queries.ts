import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import type { Grouping } from './choices.ts';

export type UsageReport = components['schemas']['UsageReport'];
export type UsageLine = components['schemas']['UsageLine'];
export type UsageTotals = components['schemas']['UsageTotals'];

/** How many lines are read: as many as a report by days can have, and the first ones of all others. */
export const MOST_LINES = 366;

/** Which usage a report is about. */
export interface UsageQuery {
  readonly from: string;
  readonly to?: string | undefined;
  readonly by: Grouping;
  readonly scope?: 'own' | 'organization' | undefined;
}

/** Returns what was used, by what and how much. The report before stays while another one is read. */
export function useUsage({ from, to, by, scope }: UsageQuery): UseQueryResult<UsageReport> {
  const [api, orgId] = [useApi(), useOrgId()];
  const query = {
    from,
    group_by: by,
    limit: MOST_LINES,
    ...(to !== undefined && { to }),
    ...(scope !== undefined && { scope }),
  };
  return useQuery({
    queryKey: [orgId, 'usage', query],
    queryFn: async ({ signal }) => answerOf(api.GET('/api/usage', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}
