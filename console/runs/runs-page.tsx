import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useAgents } from '../agents/index.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import type { MenuItem } from '../ui/overlays/menu.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { type ActiveFilter, FilterChips } from '../ui/page/filter-chips.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { RowList } from '../ui/split-view/row-list.tsx';
import { SplitView } from '../ui/split-view/split-view.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type ListedRun, type RunFilters, useRuns } from './queries.ts';
import { RunBadge } from './run-badge.tsx';
import { RunDetails } from './run-details.tsx';
import classes from './runs.module.css';
import { useRunsText } from './text.ts';

const PAGE = '/o/$orgId/runs';
const STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed', 'interrupted'] as const;
const TRIGGERS = ['manual', 'webhook', 'schedule', 'agent'] as const;
const KINDS = ['workflow', 'schedule'] as const;

/** All runs of workflows and schedules, open ones first, with what was asked and answered beside the list. */
export function RunsPage() {
  const [text, orgId] = [useRunsText(), useOrgId()];
  const { status, kind, by, agent } = useFilters();
  const filters: RunFilters = {
    ...(status && { status }),
    ...(kind && { kind }),
    ...(by && { triggered_by: by }),
    ...(agent && { agent_id: agent }),
  };
  const runs = useRuns(filters);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page title={text.title} isWide>
      <Loaded query={runs}>
        {({ items }) =>
          items.length === 0 && !isFiltered ? (
            <Empty
              icon={<History />}
              title={text.empty}
              action={
                <Link to="/o/$orgId/workflows" params={{ orgId }} className={buttonClass('primary')}>
                  {text.toWorkflows}
                </Link>
              }
            >
              {text.emptyWhy}
            </Empty>
          ) : (
            <>
              <Filters />
              {items.length === 0 ? <p>{text.none}</p> : <RunSplit runs={items} />}
              <Pager pages={runs} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Returns what the address narrows the list by. */
function useFilters() {
  const { status, kind, by, agent } = useSearch({ from: PAGE });
  return { ...(status && { status }), ...(kind && { kind }), ...(by && { by }), ...(agent && { agent }) };
}

function Filters() {
  const text = useRunsText();
  const navigate = useNavigate({ from: PAGE });
  const search = useFilters();
  const agents = useAgents().data?.items ?? [];
  type Name = 'status' | 'kind' | 'by' | 'agent';
  const groups: readonly { name: Name; title: string; choices: readonly (readonly [string, string])[] }[] = [
    { name: 'status', title: text.state, choices: STATUSES.map((each) => [each, text.status[each]]) },
    { name: 'kind', title: text.kind, choices: KINDS.map((each) => [each, text.kinds[each]]) },
    { name: 'by', title: text.trigger, choices: TRIGGERS.map((each) => [each, text.triggers[each]]) },
    { name: 'agent', title: text.agents, choices: agents.map(({ id, name }) => [id, showInvisible(name)]) },
  ];
  // What is set is checked as the address is read, so a value that is none of a filter's is left out.
  const set = (name: Name, value: string | undefined) =>
    void navigate({ search: { ...search, [name]: value }, replace: true });
  const active = groups.flatMap(({ name, title, choices }): ActiveFilter[] => {
    const value = search[name];
    if (value === undefined) return [];
    const label = choices.find(([key]) => key === value)?.[1] ?? value;
    return [{ key: name, label: text.filter(title, label), onRemove: () => set(name, undefined) }];
  });
  const more = groups.flatMap(({ name, title, choices }) =>
    choices
      .filter(([key]) => key !== search[name])
      .map(([key, label], at): MenuItem => ({
        key: `${name}-${key}`,
        label,
        ...(at === 0 && { heading: title }),
        run: () => set(name, key),
      })),
  );
  return (
    <div className={classes.filters}>
      <FilterChips active={active} more={more} onClear={() => void navigate({ search: {}, replace: true })} />
    </div>
  );
}

function RunSplit({ runs }: { readonly runs: readonly ListedRun[] }) {
  const text = useRunsText();
  const navigate = useNavigate({ from: PAGE });
  const { id } = useSearch({ from: PAGE });
  const filters = useFilters();
  const open = runs.find((run) => run.id === id);
  const select = (key: string | undefined) =>
    void navigate({ search: { ...filters, ...(key && { id: key }) }, replace: true });
  return (
    <SplitView
      name="runs"
      keys={runs.map((run) => run.id)}
      selected={open?.id}
      onSelect={select}
      list={
        <RowList label={text.list} rows={runs} keyOf={(run) => run.id} selected={open?.id} onSelect={select}>
          {(run) => <RunRow run={run} />}
        </RowList>
      }
      detail={
        open === undefined ? <p className={classes.soft}>{text.choose}</p> : <RunDetails key={open.id} run={open} />
      }
    />
  );
}

function RunRow({ run }: { readonly run: ListedRun }) {
  const text = useRunsText();
  return (
    <span className={classes.row}>
      <span className={classes.name}>{showInvisible(run.name)}</span>
      <RunBadge status={run.status} />
      <span className={classes.soft}>{`${text.kinds[run.kind]}, ${text.triggers[run.triggered_by]}`}</span>
      <span className={classes.time}>{timeFromNow(run.started_at ?? run.created_at)}</span>
    </span>
  );
}
