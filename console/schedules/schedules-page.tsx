import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CalendarClock, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAgents } from '../agents/queries.ts';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { useText } from '../core/text/text-context.tsx';
import { dateAndTime, timeFromNow } from '../core/text/times.ts';
import { RunBadge } from '../runs/index.ts';
import { daysAround, DayStrip } from '../ui/charts/day-strip.tsx';
import { Button } from '../ui/controls/button.tsx';
import { SearchField } from '../ui/controls/search-field.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { Section } from '../ui/page/section.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type Schedule, useSchedules } from './queries.ts';
import { StateBadge } from './schedule-state.tsx';
import classes from './schedules.module.css';
import { type SchedulesText, useSchedulesText } from './text.ts';
import { comingTogether, timingOf } from './week.ts';

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
              <ComingWeek schedules={items} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const DAYS_AFTER = 6;

/** When the active schedules of a list run within a week, so that a crowd is seen before; nothing for one. */
function ComingWeek({ schedules }: { readonly schedules: readonly Schedule[] }) {
  const text = useSchedulesText();
  const [now] = useState(() => Date.now());
  const days = useMemo(() => daysAround(now, 0, DAYS_AFTER, text.day), [now, text]);
  const { spans, busiest, frequent } = useMemo(() => {
    const active = schedules.filter((schedule) => schedule.is_active);
    const timed = active.map((schedule) => ({ name: schedule.name, timing: timingOf(schedule) }));
    return comingTogether(timed, { from: now, to: days.at(-1)?.to ?? now });
  }, [schedules, days, now]);
  if (schedules.filter((schedule) => schedule.is_active).length < 2) return null;
  return (
    <div className={classes.below}>
      <Section title={text.comingWeek} lead={text.comingWeekWhy}>
        <DayStrip label={text.comingWeek} days={days} spans={spans} now={now} kinds={text.comingKinds} />
        {busiest !== undefined && (
          <p className={classes.soft}>
            {text.busiest(
              dateAndTime(new Date(busiest.at).toISOString()),
              busiest.names.map((name) => showInvisible(name)),
            )}
          </p>
        )}
        {frequent.length > 0 && (
          <p className={classes.soft}>{text.frequent(frequent.map((name) => showInvisible(name)))}</p>
        )}
      </Section>
    </div>
  );
}

function ScheduleList({ schedules, total }: { readonly schedules: readonly Schedule[]; readonly total: number }) {
  const [text, common] = [useSchedulesText(), useText().common];
  const navigate = useNavigate({ from: '/o/$orgId/schedules' });
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
        onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
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
