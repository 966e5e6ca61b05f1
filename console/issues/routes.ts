import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ISSUE_STATUSES, type IssueStatus } from '../../domain/issues.ts';
import { orgPage } from '../core/routing/route-roots.ts';
import { choiceParam, texts } from '../core/routing/search.ts';

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
    ...texts('q', 'project', 'agent', 'label')(search),
    ...choiceParam(search, 'status', ISSUE_STATUSES),
  }),
);

const issue = createRoute({
  getParentRoute: () => issues,
  path: '/$issueId',
  component: lazyRouteComponent(async () => import('./issue-page.tsx'), 'IssuePage'),
});

/** The pages of issues. */
export const issuesRoutes = [issues.addChildren([issue])] as const;
