import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useAgents } from '../agents/queries.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { dateAndTime, formatDuration, timeFromNow } from '../core/text/formats.ts';
import { OutsideSections } from '../destinations/index.ts';
import { RunBadge, RunHistory } from '../runs/index.ts';
import { daysAround, DayStrip } from '../ui/charts/day-strip.tsx';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { BackLink } from '../ui/controls/button.tsx';
import { useShowAdded } from '../ui/form/leave-page.ts';
import { TimesTable, useCronWords } from '../ui/cron-field/cron-field.tsx';
import { Badge, type Column, type Fact, Facts, Loaded, Page, Section } from '../ui/page/page.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import {
  type Schedule,
  type ScheduleRun,
  useNextTimes,
  useSchedule,
  useScheduleRecords,
  useScheduleRuns,
} from './queries.ts';
import { ScheduleActions } from './schedule-actions.tsx';
import { bodyOf, ScheduleForm } from './schedule-form.tsx';
import { StateBadge } from './schedule-state.tsx';
import classes from './schedules.module.css';
import { type SchedulesText, useSchedulesText } from './text.ts';
import { comingOf, MOST_COMING, pastOf, timingOf, usualMs } from './week.ts';

const PAGE = '/o/$orgId/schedules/$scheduleId';

/** One schedule: when it runs next, its runs, and its settings. */
export function SchedulePage() {
  const { scheduleId } = useParams({ from: PAGE });
  const query = useSchedule(scheduleId);
  return (
    <Loaded query={query}>
      {(schedule) => <Shown key={schedule.id} schedule={schedule} onReload={() => void query.refetch()} />}
    </Loaded>
  );
}

interface ShownProps {
  readonly schedule: Schedule;
  readonly onReload: () => void;
}

function Shown({ schedule, onReload }: ShownProps) {
  const text = useSchedulesText();
  const navigate = useNavigate({ from: PAGE });
  const { orgId } = useParams({ from: PAGE });
  const { tab } = useSearch({ from: PAGE });
  return (
    <Page
      title={showInvisible(schedule.name)}
      back={<BackLink to="/o/$orgId/schedules" params={{ orgId }} label={text.title} />}
      lead={showInvisible(schedule.description ?? '')}
      actions={<ScheduleActions schedule={schedule} />}
    >
      <Tabs
        label={text.parts}
        value={tab}
        onValueChange={(chosen) => void navigate({ search: chosen === 'overview' ? {} : { tab: chosen } })}
        tabs={[
          { value: 'overview', label: text.overview, content: <Overview schedule={schedule} /> },
          { value: 'runs', label: text.runs, content: <Runs schedule={schedule} /> },
          { value: 'outside', label: text.outside, content: <Outside schedule={schedule} onReload={onReload} /> },
          { value: 'settings', label: text.settings, content: <Settings schedule={schedule} onReload={onReload} /> },
        ]}
      />
    </Page>
  );
}

function Overview({ schedule }: { readonly schedule: Schedule }) {
  const text = useSchedulesText();
  return (
    <div className="sections">
      <Facts facts={useFacts(schedule, text)} />
      <WeekSection schedule={schedule} />
      <NextTimes schedule={schedule} />
      <Section title={text.prompt}>
        <CodeBlock code={schedule.prompt} language="" />
      </Section>
    </div>
  );
}

const DAYS_BEFORE = 6;
const DAYS_AFTER = 7;

/** The runs of a schedule's last days and its times of the next ones, so that those that meet are seen before. */
function WeekSection({ schedule }: { readonly schedule: Schedule }) {
  const text = useSchedulesText();
  const runs = useScheduleRuns(schedule.id);
  return (
    <Section title={text.week} lead={schedule.is_active ? text.weekWhy : text.weekOff}>
      <Loaded query={runs}>
        {({ items, total }) => <Week schedule={schedule} runs={items} hasMore={items.length < total} />}
      </Loaded>
    </Section>
  );
}

interface WeekProps {
  readonly schedule: Schedule;
  /** Its last runs, newest first. */
  readonly runs: readonly ScheduleRun[];
  readonly hasMore: boolean;
}

function Week({ schedule, runs, hasMore }: WeekProps) {
  const text = useSchedulesText();
  // The picture stands still while one looks at it; what is read anew changes it.
  const [now] = useState(() => Date.now());
  const days = useMemo(() => daysAround(now, DAYS_BEFORE, DAYS_AFTER, text.day), [now, text]);
  const usual = usualMs(runs);
  const coming = useMemo(() => {
    const to = days.at(-1)?.to ?? now;
    return comingOf(timingOf(schedule), { from: now, to }, usual);
  }, [schedule, days, now, usual]);
  const spans = useMemo(() => [...pastOf(runs, now), ...coming.spans], [runs, now, coming]);
  const oldest = Date.parse(runs.at(-1)?.created_at ?? '');
  const isPastCut = hasMore && oldest > (days[0]?.from ?? now);
  return (
    <>
      <DayStrip label={text.week} days={days} spans={spans} now={now} kinds={text.spanKinds} />
      {coming.meetings > 0 && (
        <p className="warn small">
          {text.meetings(coming.meetings, formatDuration(usual / 1_000), text.overlaps[schedule.overlap])}
        </p>
      )}
      {isPastCut && <p className="measure soft font-normal">{text.lastRunsOnly(runs.length)}</p>}
      {coming.isCut && <p className="measure soft font-normal">{text.nextTimesOnly(MOST_COMING)}</p>}
    </>
  );
}

/** The next times of a schedule on both clocks, and which of them is stored as the next run. */
function NextTimes({ schedule }: { readonly schedule: Schedule }) {
  const text = useSchedulesText();
  const { id, updated_at: changedAt, next_run_at: next, is_active: isActive, timezone } = schedule;
  const times = useNextTimes(id, changedAt, next);
  const stored = next === null ? undefined : Date.parse(next);
  const more = columnsOf(text, stored);
  return (
    <Section title={isActive ? text.nextTimes : text.nextTimesOff}>
      <Loaded query={times}>
        {(all) =>
          all.length === 0 ? (
            <p className="measure soft font-normal">{text.noTimes}</p>
          ) : (
            <TimesTable times={all.map((time) => new Date(time))} zone={timezone} more={more} />
          )
        }
      </Loaded>
    </Section>
  );
}

function columnsOf(text: SchedulesText, stored: number | undefined): readonly Column<Date>[] {
  return [
    {
      key: 'from now',
      title: text.fromNow,
      cell: (time) => (
        <span className={classes.run}>
          {timeFromNow(time.toISOString())}
          {time.getTime() === stored && <Badge tone="good">{text.nextRun}</Badge>}
        </span>
      ),
    },
  ];
}

function useFacts(schedule: Schedule, text: SchedulesText): readonly Fact[] {
  const { next_run_at: next, agent_id: agentId } = schedule;
  const agent = useAgents().data?.items.find(({ id }) => id === agentId);
  return [
    { label: text.state, value: <StateBadge schedule={schedule} /> },
    { label: text.nextRun, value: next === null ? text.noNext : `${dateAndTime(next)} (${timeFromNow(next)})` },
    { label: text.lastRun, value: <LastRun run={schedule.last_run} /> },
    { label: text.when, value: <Times schedule={schedule} /> },
    ...boundsOf(schedule, text),
    { label: text.agent, value: agentId === null ? text.noAgent : showInvisible(agent?.name ?? agentId) },
    { label: text.overlap, value: text.overlaps[schedule.overlap] },
  ];
}

function LastRun({ run }: { readonly run: Schedule['last_run'] }) {
  const text = useSchedulesText();
  if (run === null) return text.never;
  const at = run.completed_at ?? run.started_at;
  return (
    <>
      <RunBadge status={run.status} /> {at !== null && timeFromNow(at)}
    </>
  );
}

function boundsOf({ start_at: start, end_at: end }: Schedule, text: SchedulesText): readonly Fact[] {
  return [
    ...(start === null ? [] : [{ label: text.startAt, value: dateAndTime(start) }]),
    ...(end === null ? [] : [{ label: text.endAt, value: dateAndTime(end) }]),
  ];
}

function Times({ schedule }: { readonly schedule: Schedule }) {
  const [text, inWords] = [useSchedulesText(), useCronWords()];
  const { cron_expr: cron, interval_minutes: minutes, timezone } = schedule;
  return cron === null ? text.everyMinutes(minutes ?? 0) : text.inZone(inWords(cron), timezone);
}

function Runs({ schedule }: { readonly schedule: Schedule }) {
  const text = useSchedulesText();
  return <RunHistory runs={useScheduleRuns(schedule.id)} workflowId={null} none={text.noRuns} />;
}

function Outside({ schedule, onReload }: ShownProps) {
  const { change } = useScheduleRecords();
  return (
    <div className="sections">
      <OutsideSections
        source={{ kind: 'schedules', id: schedule.id }}
        record={schedule}
        onChange={async (changes, version) => change(schedule.id, changes, version)}
        onReload={onReload}
      />
    </div>
  );
}

function Settings({ schedule, onReload }: ShownProps) {
  const text = useSchedulesText();
  const { change } = useScheduleRecords();
  return (
    <ScheduleForm
      schedule={schedule}
      onReload={onReload}
      done={text.saved}
      onSubmit={async ({ changes, overwrite }) =>
        change(schedule.id, bodyOf(changes), overwrite ? undefined : schedule.updated_at)
      }
    />
  );
}

/** Adds a schedule, which is active at once when it has an agent. */
export function NewSchedulePage() {
  const [text, orgId, { add }] = [useSchedulesText(), useOrgId(), useScheduleRecords()];
  const show = useShowAdded('/o/$orgId/schedules/$scheduleId', text.added);
  return (
    <Page title={text.add} back={<BackLink to="/o/$orgId/schedules" params={{ orgId }} label={text.title} />}>
      <ScheduleForm
        submitLabel={text.add}
        onSubmit={async ({ values }) => {
          const { name, prompt } = values;
          await show(await add({ ...bodyOf(values), name, prompt }));
        }}
      />
    </Page>
  );
}
