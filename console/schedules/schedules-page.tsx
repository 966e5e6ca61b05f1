import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CalendarClock, Plus } from 'lucide-react';
import { useAgents } from '../agents/queries.ts';
import { useRefusal } from '../core/permissions.ts';
import { useChangeSearch } from '../core/routing/search.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { RunBadge } from '../runs/index.ts';
import { Button } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Schedule, useSchedules } from './queries.ts';
import { ScheduleCalendar } from './schedule-calendar.tsx';
import { StateBadge } from './schedule-state.tsx';
import classes from './schedules.module.css';
import { type SchedulesText, useSchedulesText } from './text.ts';

/** The schedules of the organization: when each runs next, and how it went last. */
export function SchedulesPage() {
  const [text, orgId] = [useSchedulesText(), useOrgId()];
  const [schedules, refusal] = [useSchedules(), useRefusal('schedules.manage')];
  const navigate = useNavigate();
  const add = (
    <Button
      look="primary"
      reason={refusal}
      onClick={() => void navigate({ to: '/o/$orgId/schedules/new', params: { orgId } })}
    >
      <Plus aria-hidden />
      {text.add}
    </Button>
  );
  const hasSome = schedules.data !== undefined && schedules.data.items.length > 0;
  return (
    <Page title={text.title} actions={hasSome ? add : undefined}>
      <Loaded query={schedules}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty icon={<CalendarClock />} title={text.empty} action={add}>
              {text.emptyWhy}
            </Empty>
          ) : (
            <>
              <ScheduleList schedules={items} total={total} />
              <Pager pages={schedules} />
              <div className={classes.below}>
                <ScheduleCalendar schedules={items} />
              </div>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function ScheduleList({ schedules, total }: { readonly schedules: readonly Schedule[]; readonly total: number }) {
  const [text, common] = [useSchedulesText(), useText().common];
  const change = useChangeSearch<{ q: string }>();
  const { q = '' } = useSearch({ from: '/o/$orgId/schedules' });
  const agents = useAgents().data?.items ?? [];
  const agentOf = (id: string | null) => showInvisible(agents.find((agent) => agent.id === id)?.name ?? text.noAgent);
  const wanted = q.toLowerCase();
  const shown = schedules.filter(({ name, prompt }) => `${name}\n${prompt}`.toLowerCase().includes(wanted));
  return (
    <>
      <SearchField
        label={text.filter}
        value={q}
        status={shown.length === total ? undefined : common.of(shown.length, total)}
        onChange={(words) => change({ q: words === '' ? undefined : words })}
      />
      {shown.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={text.title} columns={columnsOf(text, agentOf)} rows={shown} keyOf={({ id }) => id} />
      )}
    </>
  );
}

function columnsOf(text: SchedulesText, agentOf: (id: string | null) => string): readonly Column<Schedule>[] {
  return [
    {
      key: 'name',
      title: text.name,
      cell: (schedule) => <ScheduleName schedule={schedule} agent={agentOf(schedule.agent_id)} />,
    },
    { key: 'state', title: text.state, cell: (schedule) => <StateBadge schedule={schedule} /> },
    {
      key: 'last',
      title: text.lastRun,
      cell: ({ last_run: run }) =>
        run === null ? (
          text.never
        ) : (
          <span className={classes.run}>
            <RunBadge status={run.status} />
            {run.started_at !== null && <span className={classes.soft}>{timeFromNow(run.started_at)}</span>}
          </span>
        ),
    },
    {
      key: 'next',
      title: text.nextRun,
      isNumber: true,
      cell: ({ next_run_at: at }) => (at === null ? text.noNext : timeFromNow(at)),
    },
  ];
}

function ScheduleName({ schedule: { id, name }, agent }: { readonly schedule: Schedule; readonly agent: string }) {
  const orgId = useOrgId();
  return (
    <span className={classes.name}>
      <Link to="/o/$orgId/schedules/$scheduleId" params={{ orgId, scheduleId: id }} className={classes.link}>
        {showInvisible(name)}
      </Link>
      <span className={classes.soft}>{agent}</span>
    </span>
  );
}
