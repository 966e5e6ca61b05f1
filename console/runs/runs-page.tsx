import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useAgents } from '../agents/index.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { buttonClass } from '../ui/controls/button.tsx';
import type { MenuItem } from '../ui/overlays/menu.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { type ActiveFilter, FilterChips } from '../ui/page/filter-chips.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type RunFilters, useRuns } from './queries.ts';
import { RunSplit } from './run-split.tsx';
import classes from './runs.module.css';
import { useRunsText } from './text.ts';

const PAGE = '/o/$orgId/runs';
const STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed', 'interrupted'] as const;
const TRIGGERS = ['manual', 'webhook', 'schedule', 'agent'] as const;
const KINDS = ['workflow', 'schedule'] as const;

/** All runs of workflows and schedules, open ones first, with what was asked and answered beside the list. */
export function RunsPage() {
  const [text, orgId] = [useRunsText(), useOrgId()];
  const navigate = useNavigate({ from: PAGE });
  const { id } = useSearch({ from: PAGE });
  const set = useFilters();
  const { status, kind, by, agent } = set;
  const select = (key: string | undefined) =>
    void navigate({ search: { ...set, ...(key && { id: key }) }, replace: true });
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
              {items.length === 0 ? (
                <p>{text.none}</p>
              ) : (
                <RunSplit name="runs" runs={items} id={id} onSelect={select} />
              )}
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
