import { keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import { type Pages, useAnswer, usePages } from '../core/http/use-answer.ts';
import { pageOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import type { Grouping } from './choices.ts';

export type UsageReport = components['schemas']['UsageReport'];
export type UsageLine = components['schemas']['UsageLine'];
export type UsageTotals = components['schemas']['UsageTotals'];

/** How many lines a report is read with: as many as one by days can have. */
const MOST_DAYS = 366;
/** How many of what is no day: as many as there are bars. The table reads all of them, page by page. */
export const MOST_BARS = 30;
const LINES_A_PAGE = 100;

/** Which usage a report is about. */
export interface UsageQuery {
  readonly from: string;
  readonly to?: string | undefined;
  readonly by: Grouping;
  readonly scope?: 'own' | 'organization' | undefined;
}

/** Returns what was used, by what and how much. The report before stays while another one is read. */
export function useUsage(usage: UsageQuery): UseQueryResult<UsageReport> {
  const query = { ...paramsOf(usage), limit: usage.by === 'day' ? MOST_DAYS : MOST_BARS };
  return useAnswer(['usage', query], '/api/usage', { params: { query }, placeholderData: keepPreviousData });
}

/** Returns the lines of a report, page by page. Those before stay while others are read. */
export function useUsageLines(usage: UsageQuery): Pages<UsageLine> {
  const [api, orgId] = [useApi(), useOrgId()];
  const query = paramsOf(usage);
  return usePages<UsageLine>({
    queryKey: [orgId, 'usage', 'lines', query],
    pageSize: LINES_A_PAGE,
    isKept: true,
    keyOf: ({ key }) => key ?? '',
    read: async ({ limit, offset, signal }) => {
      const { data, ...answer } = await api.GET('/api/usage', {
        params: { query: { ...query, limit, offset } },
        signal,
      });
      return pageOf(Promise.resolve({ ...answer, data: data?.lines }));
    },
  });
}

function paramsOf({ from, to, by, scope }: UsageQuery) {
  return { from, group_by: by, ...(to !== undefined && { to }), ...(scope !== undefined && { scope }) };
}
