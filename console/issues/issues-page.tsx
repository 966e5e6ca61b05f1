import { useSearch } from '@tanstack/react-router';
import { CircleDot } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { ISSUE_STATUSES } from '../../domain/issues.ts';
import { useAgents } from '../agents/queries.ts';
import { useChangeSearch } from '../core/routing/search.ts';
import { timeFromNow } from '../core/text/formats.ts';
import { PriorityMark } from '../priorities/priority-mark.tsx';
import { useProjects } from '../projects/queries.ts';
import { SearchField } from '../ui/controls/search-field.tsx';
import { ChoiceFilters, choicesOf } from '../ui/list-page/list-page.tsx';
import { ListRow, SplitListPage } from '../ui/list-page/split-list-page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { NewIssueForm } from './new-issue-form.tsx';
import { type Issue, useIssues } from './queries.ts';
import type { IssuesSearch } from './routes.ts';
import { IssueStatusBadge, useIssueWords } from './status-badge.tsx';
import { useIssuesText } from './text.ts';

/** The issues of the organization, beside the one that is open. */
export function IssuesPage(): ReactNode {
  const text = useIssuesText();
  const issues = useIssues(useSearch({ from: '/o/$orgId/issues' }));
  return (
    <SplitListPage
      name="issues"
      idName="issueId"
      text={text}
      pages={issues}
      rows={issues.data?.items ?? NONE}
      filters={<Filters />}
      icon={<CircleDot />}
      right="issues.manage"
      form={AddIssue}
    >
      {(issue) => <Row issue={issue} />}
    </SplitListPage>
  );
}

const NONE: readonly Issue[] = [];

type AddIssueProps = Pick<ComponentProps<typeof NewIssueForm>, 'onDone'>;

function AddIssue({ onDone }: AddIssueProps): ReactNode {
  const { project } = useSearch({ from: '/o/$orgId/issues' });
  return <NewIssueForm projectId={project} onDone={onDone} />;
}

function Row({ issue }: { readonly issue: Issue }): ReactNode {
  const text = useIssuesText();
  const { number, title, priority, status, assigned_agent_name: agent, updated_at: at } = issue;
  return (
    <ListRow
      title={showInvisible(title)}
      name={agent === null ? undefined : showInvisible(agent)}
      end={timeFromNow(at)}
    >
      <PriorityMark priority={priority} />
      {text.number(number)}
      <IssueStatusBadge status={status} />
    </ListRow>
  );
}

function Filters(): ReactNode {
  const [text, words] = [useIssuesText(), useIssueWords()];
  const { q = '', status, project, agent, label } = useSearch({ from: '/o/$orgId/issues' });
  const change = useChangeSearch<Record<keyof IssuesSearch, string>>();
  const projects = useProjects().data?.items ?? [];
  const agents = useAgents().data?.items ?? [];
  const statuses = ISSUE_STATUSES.map((value) => ({ value, label: words.status[value] }));
  return (
    <>
      <SearchField label={text.search} value={q} onChange={(wanted) => change({ q: wanted || undefined })} />
      <ChoiceFilters
        filters={[
          { key: 'status', label: text.filters.status, value: status, choices: statuses },
          { key: 'project', label: text.filters.project, value: project, choices: choicesOf(projects) },
          { key: 'agent', label: text.filters.agent, value: agent, choices: choicesOf(agents) },
          { key: 'label', label: text.filters.label, value: label, choices: [] },
        ]}
        onChange={change}
      />
    </>
  );
}
