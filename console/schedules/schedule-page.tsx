import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useAgents } from '../agents/index.ts';
import { dateAndTime, timeFromNow } from '../core/text/times.ts';
import { RunBadge, RunChart, RunTable } from '../runs/index.ts';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { BackLink } from '../ui/controls/back-link.tsx';
import { type Fact, Facts } from '../ui/page/facts.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { Page } from '../ui/page/page.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { Section } from '../ui/page/section.tsx';
import { Tabs } from '../ui/page/tabs.tsx';
import { showInvisible } from '../ui/visible.ts';
import { DeliveryList, NotifySection } from '../webhooks/index.ts';
import { bodyOf } from './body-of.ts';
import { type Schedule, useSchedule, useScheduleActions, useScheduleRuns } from './queries.ts';
import { ScheduleActions } from './schedule-actions.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { StateBadge } from './schedule-state.tsx';
import classes from './schedules.module.css';
import { type SchedulesText, useSchedulesText } from './text.ts';
import { NextTimes } from './week/next-times.tsx';
import { WeekSection } from './week/week-section.tsx';

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
      back={
        <BackLink to="/o/$orgId/schedules" params={{ orgId }}>
          {text.title}
        </BackLink>
      }
      lead={showInvisible(schedule.description ?? '')}
      actions={<ScheduleActions schedule={schedule} />}
    >
      <Tabs
        label={text.parts}
        value={tab}
        onValueChange={(chosen) => void navigate({ search: chosen === 'overview' ? {} : { tab: chosen } })}
        tabs={[
          { value: 'overview', label: text.overview, content: <Overview schedule={schedule} /> },
          { value: 'runs', label: text.runs, content: <Runs id={schedule.id} /> },
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
    <div className={classes.sections}>
      <Facts facts={useFacts(schedule, text)} />
      <WeekSection schedule={schedule} />
      <NextTimes schedule={schedule} />
      <Section title={text.prompt}>
        <CodeBlock code={schedule.prompt} language="" />
      </Section>
    </div>
  );
}

function useFacts(schedule: Schedule, text: SchedulesText): readonly Fact[] {
  const { next_run_at: next, agent_id: agentId } = schedule;
  const agent = useAgents().data?.items.find(({ id }) => id === agentId);
  return [
    { label: text.state, value: <StateBadge schedule={schedule} /> },
    { label: text.nextRun, value: next === null ? text.noNext : `${dateAndTime(next)} (${timeFromNow(next)})` },
    { label: text.lastRun, value: <LastRun run={schedule.last_run} /> },
    { label: text.when, value: timesOf(schedule, text) },
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

function timesOf({ cron_expr: cron, interval_minutes: minutes, timezone }: Schedule, text: SchedulesText): string {
  return cron === null ? text.everyMinutes(minutes ?? 0) : text.inZone(cron, timezone);
}

function Runs({ id }: { readonly id: string }) {
  const text = useSchedulesText();
  const runs = useScheduleRuns(id);
  return (
    <Loaded query={runs}>
      {({ items }) =>
        items.length === 0 ? (
          <p className={classes.soft}>{text.noRuns}</p>
        ) : (
          <div className={classes.sections}>
            <RunChart runs={items} />
            <RunTable runs={items} workflowId={null} />
            <Pager pages={runs} />
          </div>
        )
      }
    </Loaded>
  );
}

function Outside({ schedule, onReload }: ShownProps) {
  const { change } = useScheduleActions(schedule.id);
  const source = { kind: 'schedules', id: schedule.id } as const;
  return (
    <div className={classes.sections}>
      <NotifySection
        source={source}
        notified={schedule}
        onReload={onReload}
        onSubmit={async (changes, overwrite) =>
          change.mutateAsync({ changes, version: overwrite ? undefined : schedule.updated_at })
        }
      />
      <DeliveryList source={source} />
    </div>
  );
}

function Settings({ schedule, onReload }: ShownProps) {
  const text = useSchedulesText();
  const { change } = useScheduleActions(schedule.id);
  const toast = useToast();
  return (
    <ScheduleForm
      schedule={schedule}
      onReload={onReload}
      onSubmit={async ({ changes, overwrite }) => {
        await change.mutateAsync({ changes: bodyOf(changes), version: overwrite ? undefined : schedule.updated_at });
        toast(text.saved);
      }}
    />
  );
}
