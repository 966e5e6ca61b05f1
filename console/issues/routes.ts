import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ISSUE_STATUSES, type IssueStatus } from '../../domain/issues.ts';
import { orgPage } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

/** What the address of a list of issues says; an issue has to match all of it. */
export interface IssuesSearch {
  readonly q?: string;
  readonly status?: IssueStatus;
  readonly project?: string;
  readonly agent?: string;
  readonly label?: string;
}

const issues = orgPage(
  '/issues',
  async () => import('./issues-page.tsx'),
  'IssuesPage',
  (search): IssuesSearch => ({
    ...textParam(search, 'q'),
    ...(isStatus(search['status']) && { status: search['status'] }),
    ...textParam(search, 'project'),
    ...textParam(search, 'agent'),
    ...textParam(search, 'label'),
  }),
);

const issue = createRoute({
  getParentRoute: () => issues,
  path: '/$issueId',
  component: lazyRouteComponent(async () => import('./issue-page.tsx'), 'IssuePage'),
});

function isStatus(value: unknown): value is IssueStatus {
  return ISSUE_STATUSES.some((status) => status === value);
}

/** The pages of issues. */
export const issuesRoutes = [issues.addChildren([issue])] as const;
