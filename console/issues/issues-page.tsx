import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CircleDot, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ISSUE_STATUSES } from '../../domain/issues/index.ts';
import { useAgents } from '../agents/index.ts';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useShortcut } from '../core/shortcuts.ts';
import { timeFromNow } from '../core/text/times.ts';
import { PriorityMark } from '../priorities/index.ts';
import { useProjects } from '../projects/index.ts';
import { Button } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import type { MenuItem } from '../ui/overlays/menu.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { type ActiveFilter, FilterChips } from '../ui/page/filter-chips.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { RowList } from '../ui/split-view/row-list.tsx';
import { SplitView } from '../ui/split-view/split-view.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './issues.module.css';
import { NewIssueForm } from './new-issue-form.tsx';
import { type Issue, useIssues } from './queries.ts';
import type { IssuesSearch } from './routes.ts';
import { IssueStatusBadge } from './status-badge.tsx';
import { useIssuesText } from './text.ts';
import { useIssueWords } from './words.ts';

const MOST_OFFERED = 50;

/** The issues of the organization, beside the one that is open. */
export function IssuesPage(): ReactNode {
  const [text, orgId, toast] = [useIssuesText(), useOrgId(), useToast()];
  const search = useSearch({ from: '/o/$orgId/issues' });
  const { issueId } = useParams({ strict: false });
  const navigate = useNavigate();
  const [issues, refusal] = [useIssues(search), useRefusal('issues.manage')];
  const [isAdding, setIsAdding] = useState(false);
  const open = (id: string | undefined) =>
    void (id === undefined
      ? navigate({ to: '/o/$orgId/issues', params: { orgId }, search })
      : navigate({ to: '/o/$orgId/issues/$issueId', params: { orgId, issueId: id }, search }));
  useShortcut('c', text.addTitle, () => {
    if (refusal === undefined) setIsAdding(true);
  });
  const add = (
    <Button look="primary" reason={refusal} onClick={() => setIsAdding(true)}>
      <Plus aria-hidden />
      {text.addTitle}
    </Button>
  );
  const isEmpty = issues.data?.total === 0 && Object.keys(search).length === 0;
  return (
    <Page title={text.title} actions={isEmpty ? undefined : add} isWide>
      {isEmpty && issueId === undefined ? (
        <Empty icon={<CircleDot />} title={text.empty} action={add}>
          {text.emptyWhy}
        </Empty>
      ) : (
        <SplitView
          name="issues"
          keys={issues.data?.items.map(({ id }) => id) ?? []}
          selected={issueId}
          onSelect={open}
          list={
            <div className={classes.list}>
              <Filters />
              <Loaded query={issues}>
                {({ items }) =>
                  items.length === 0 ? (
                    <p className={classes.none}>{text.none}</p>
                  ) : (
                    <RowList label={text.title} rows={items} keyOf={({ id }) => id} selected={issueId} onSelect={open}>
                      {(issue) => <Row issue={issue} />}
                    </RowList>
                  )
                }
              </Loaded>
              <Pager pages={issues} />
            </div>
          }
          detail={issueId === undefined ? <p className={classes.none}>{text.choose}</p> : <Outlet />}
        />
      )}
      <Dialog open={isAdding} onClose={() => setIsAdding(false)} title={text.addTitle}>
        <NewIssueForm
          projectId={search.project}
          onDone={({ id, title }) => {
            setIsAdding(false);
            toast(text.added(showInvisible(title)));
            open(id);
          }}
        />
      </Dialog>
    </Page>
  );
}

function Row({ issue }: { readonly issue: Issue }): ReactNode {
  const text = useIssuesText();
  const { number, title, priority, status, assigned_agent_name: agent, updated_at: at } = issue;
  return (
    <span className={classes.row}>
      <span className={classes.rowTitle}>{showInvisible(title)}</span>
      <span className={classes.soft}>
        <PriorityMark priority={priority} />
        {text.number(number)}
        <IssueStatusBadge status={status} />
        {agent !== null && <span className={classes.cut}>{showInvisible(agent)}</span>}
        <span className={classes.end}>{timeFromNow(at)}</span>
      </span>
    </span>
  );
}

function Filters(): ReactNode {
  const [text, words] = [useIssuesText(), useIssueWords()];
  const search = useSearch({ from: '/o/$orgId/issues' });
  const { q = '', status, project, agent, label } = search;
  const navigate = useNavigate();
  const change = (changes: { readonly [K in keyof IssuesSearch]?: IssuesSearch[K] | undefined }) => {
    const next = Object.entries({ ...search, ...changes }).filter(([, value]) => value !== undefined);
    void navigate({ to: '.', search: Object.fromEntries(next), replace: true });
  };
  const projects = useProjects().data?.items ?? [];
  const agents = useAgents().data?.items ?? [];
  const nameIn = (all: readonly { id: string; name: string }[], id: string) =>
    showInvisible(all.find((each) => each.id === id)?.name ?? id);
  const active: ActiveFilter[] = [];
  const add = (key: keyof IssuesSearch, kind: string, value: string) =>
    active.push({ key, label: `${kind}: ${value}`, onRemove: () => change({ [key]: undefined }) });
  if (status !== undefined) add('status', text.filters.status, words.status[status]);
  if (project !== undefined) add('project', text.filters.project, nameIn(projects, project));
  if (agent !== undefined) add('agent', text.filters.agent, nameIn(agents, agent));
  if (label !== undefined) add('label', text.filters.label, showInvisible(label));
  const offer = (kind: string, key: keyof IssuesSearch, values: readonly { value: string; label: string }[]) =>
    values
      .filter(({ value }) => value !== search[key])
      .slice(0, MOST_OFFERED)
      .map((each, at): MenuItem => ({
        key: `${key} ${each.value}`,
        label: each.label,
        ...(at === 0 && { heading: kind }),
        run: () => change({ [key]: each.value }),
      }));
  const named = (all: readonly { id: string; name: string }[]) =>
    all.map(({ id, name }) => ({ value: id, label: showInvisible(name) }));
  return (
    <div className={classes.filters}>
      <SearchField
        label={text.search}
        value={q}
        onChange={(wanted) => change({ q: wanted === '' ? undefined : wanted })}
      />
      <FilterChips
        active={active}
        more={[
          ...offer(
            text.filters.status,
            'status',
            ISSUE_STATUSES.map((value) => ({ value, label: words.status[value] })),
          ),
          ...offer(text.filters.project, 'project', named(projects)),
          ...offer(text.filters.agent, 'agent', named(agents)),
        ]}
        onClear={() => change({ status: undefined, project: undefined, agent: undefined, label: undefined })}
      />
    </div>
  );
}
