import { ISSUE_STATUSES, type IssueStatus } from '../../../domain/issues/index.ts';
import { useLive } from '../../core/events/live.ts';
import { pageOf } from '../../core/http/api-client.ts';
import { type Pages, usePages } from '../../core/http/use-pages.ts';
import { useApi, useOrgId } from '../../core/session/session-context.tsx';
import type { Issue } from '../../issues/index.ts';

const PAGE = 200;
/** How often columns are read again while somebody looks where no events tell what others do. */
const POLL_MS = 10_000;

/** Which issues a board shows; undefined for all. */
export interface IssueFilter {
  readonly project_id: string | undefined;
  readonly assigned_agent_id: string | undefined;
  readonly label: string | undefined;
  readonly q: string | undefined;
}

/** A column of a board of issues, as far as it was read. */
export interface IssueColumn {
  readonly status: IssueStatus;
  readonly pages: Pages<Issue>;
}

/** Returns the columns of a board of issues. Each reads its newest ones, and further ones when it is asked to. */
export function useIssueColumns(filter: IssueFilter): readonly IssueColumn[] {
  const [first, second, third, fourth, fifth, sixth] = ISSUE_STATUSES;
  return [
    useColumn(first, filter),
    useColumn(second, filter),
    useColumn(third, filter),
    useColumn(fourth, filter),
    useColumn(fifth, filter),
    useColumn(sixth, filter),
  ];
}

function useColumn(status: IssueStatus, filter: IssueFilter): IssueColumn {
  const [api, orgId, isLive] = [useApi(), useOrgId(), useLive()];
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const pages = usePages<Issue>({
    queryKey: [orgId, 'issues', 'board', status, given],
    read: async ({ signal, ...page }) =>
      pageOf(api.GET('/api/issues', { params: { query: { ...given, ...page, status } }, signal })),
    keyOf: ({ id }) => id,
    pageSize: PAGE,
    refetchInterval: !isLive && POLL_MS,
  });
  return { status, pages };
}
