import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useAgents } from '../agents/queries.ts';
import { useChangeSearch } from '../core/routing/search.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { buttonClass } from '../ui/controls/button.tsx';
import { ChoiceFilters, choicesOf } from '../ui/list-page/list-page.tsx';
import { Empty, Loaded, Page, Pager } from '../ui/page/page.tsx';
import { type RunFilters, useRuns } from './queries.ts';
import { RunSplit } from './run-split.tsx';
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
  const { status, kind, by, agent, reports } = set;
  const select = (key: string | undefined) =>
    void navigate({ search: { ...set, ...(key && { id: key }) }, replace: true });
  const filters: RunFilters = {
    ...(status && { status }),
    ...(kind && { kind }),
    ...(by && { triggered_by: by }),
    ...(agent && { agent_id: agent }),
    ...(reports && { undelivered: true as const }),
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
  const { id: _id, ...set } = useSearch({ from: PAGE });
  return set;
}

function Filters() {
  const text = useRunsText();
  const { status, kind, by, agent, reports } = useFilters();
  // What is set is checked as the address is read, so a value that is none of a filter's is left out.
  const change = useChangeSearch<Record<'status' | 'kind' | 'by' | 'agent' | 'reports' | 'id', string>>();
  const agents = useAgents().data?.items ?? [];
  const statuses = STATUSES.map((value) => ({ value, label: text.status[value] }));
  const kinds = KINDS.map((value) => ({ value, label: text.kinds[value] }));
  const triggers = TRIGGERS.map((value) => ({ value, label: text.triggers[value] }));
  return (
    <div className="mb-3">
      <ChoiceFilters
        filters={[
          { key: 'status', label: text.state, value: status, choices: statuses },
          { key: 'kind', label: text.kind, value: kind, choices: kinds },
          { key: 'by', label: text.trigger, value: by, choices: triggers },
          { key: 'agent', label: text.agents, value: agent, choices: choicesOf(agents) },
          {
            key: 'reports',
            label: text.reports,
            value: reports,
            choices: [{ value: 'undelivered', label: text.undelivered }],
          },
        ]}
        onChange={(changes) => change({ ...changes, id: undefined })}
      />
    </div>
  );
}
