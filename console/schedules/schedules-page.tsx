import { CalendarClock } from 'lucide-react';
import { useAgents } from '../agents/queries.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/formats.ts';
import { RunBadge } from '../runs/index.ts';
import { ListPage, RecordName, SearchedTable } from '../ui/list-page/list-page.tsx';
import { type Column, Pager } from '../ui/page/page.tsx';
import { type Schedule, useSchedules } from './queries.ts';
import { ScheduleCalendar } from './schedule-calendar.tsx';
import { StateBadge } from './schedule-state.tsx';
import classes from './schedules.module.css';
import { type SchedulesText, useSchedulesText } from './text.ts';

/** The schedules of the organization: when each runs next, and how it went last. */
export function SchedulesPage() {
  const [text, schedules] = [useSchedulesText(), useSchedules()];
  const agents = useAgents().data?.items ?? [];
  const agentOf = (id: string | null) => agents.find((agent) => agent.id === id)?.name ?? text.noAgent;
  return (
    <ListPage
      text={text}
      icon={<CalendarClock />}
      query={schedules}
      add={{ right: 'schedules.manage', to: '/o/$orgId/schedules/new' }}
    >
      {({ items, total }) => (
        <>
          <SearchedTable
            text={text}
            columns={columnsOf(text, agentOf)}
            rows={items}
            total={total}
            wordsOf={({ name, prompt }) => [name, prompt]}
          />
          <Pager pages={schedules} />
          <div className={classes.below}>
            <ScheduleCalendar schedules={items} />
          </div>
        </>
      )}
    </ListPage>
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
            {run.started_at !== null && <span className="measure soft font-normal">{timeFromNow(run.started_at)}</span>}
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
  const params = { orgId: useOrgId(), scheduleId: id };
  return <RecordName to="/o/$orgId/schedules/$scheduleId" params={params} name={name} note={agent} />;
}
