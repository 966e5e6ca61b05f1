import { Link } from '@tanstack/react-router';
import { Square } from 'lucide-react';
import { useNow } from '../core/clock.ts';
import { useRefusal } from '../core/permissions.ts';
import type { Pages } from '../core/http/use-answer.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { dateAndTime, formatDuration, timeFromNow } from '../core/text/formats.ts';
import { type Bar, Bars } from '../ui/charts/bars.tsx';
import { ActionButton } from '../ui/overlays/dialog.tsx';
import { Badge, type Column, Loaded, Pager, Table } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { isOpen, type RunStatus, type ShownRun, useInterruptRun } from './queries.ts';
import classes from './runs.module.css';
import { type RunsText, useRunsText } from './text.ts';

interface RunHistoryProps {
  readonly runs: Pages<ShownRun>;
  /** The workflow whose runs they are; null for those of a schedule. */
  readonly workflowId: string | null;
  /** Says that there are none. */
  readonly none: string;
}

/** The runs of one workflow or schedule: how long they took, and each with its outcome and its conversation. */
export function RunHistory({ runs, workflowId, none }: RunHistoryProps) {
  const text = useRunsText();
  return (
    <Loaded query={runs}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="measure soft font-normal">{none}</p>
        ) : (
          <div className="sections">
            <RunChart runs={items} />
            <Table label={text.list} columns={columnsOf(text, workflowId)} rows={items} keyOf={({ id }) => id} />
            <Pager pages={runs} />
          </div>
        )
      }
    </Loaded>
  );
}

function columnsOf(text: RunsText, workflowId: string | null): readonly Column<ShownRun>[] {
  return [
    {
      key: 'started',
      title: text.started,
      cell: ({ started_at: at, created_at: made }) => timeFromNow(at ?? made),
    },
    {
      key: 'state',
      title: text.state,
      cell: ({ status, error }) => (
        <span className={classes.state}>
          <RunBadge status={status} />
          {error !== null && <span className={classes.error}>{showInvisible(error)}</span>}
        </span>
      ),
    },
    { key: 'trigger', title: text.trigger, cell: ({ triggered_by: by }) => text.triggers[by] },
    { key: 'duration', title: text.duration, isNumber: true, cell: (run) => <RunDuration run={run} /> },
    {
      key: 'links',
      title: text.links,
      cell: (run) => (
        <span className={classes.links}>
          <ChatLink chatId={run.chat_id} />
          {isOpen(run) && <StopButton id={run.id} workflowId={workflowId} />}
        </span>
      ),
    },
  ];
}

const TONES = {
  queued: 'calm',
  running: 'good',
  waiting: 'warn',
  completed: 'good',
  failed: 'danger',
  interrupted: 'calm',
} as const;

/** How a run stands. */
export function RunBadge({ status }: { readonly status: RunStatus }) {
  const text = useRunsText();
  return <Badge tone={TONES[status]}>{text.status[status]}</Badge>;
}

/** How long a run took; it counts while it is at work. */
export function RunDuration({ run }: { readonly run: ShownRun }) {
  if (run.started_at === null) return '–';
  if (isOpen(run)) return <Elapsed since={run.started_at} />;
  return formatDuration(secondsOf(run));
}

function Elapsed({ since }: { readonly since: string }) {
  return formatDuration(Math.max(0, Math.floor((useNow() - Date.parse(since)) / 1000)));
}

/** Returns how many seconds a run took that has ended. */
export function secondsOf({ started_at: from, completed_at: to }: ShownRun): number {
  return from === null || to === null ? 0 : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
}

function ChatLink({ chatId }: { readonly chatId: string | null }) {
  const [text, orgId] = [useRunsText(), useOrgId()];
  if (chatId === null) return text.noChat;
  return (
    <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }}>
      {text.chat}
    </Link>
  );
}

/** Stops a run that is open. */
export function StopButton({ id, workflowId }: { readonly id: string; readonly workflowId: string | null }) {
  const text = useRunsText();
  const [stop, refusal] = [useInterruptRun(), useRefusal('schedules.manage')];
  return (
    <ActionButton
      icon={Square}
      reason={refusal}
      done={text.stopped}
      action={async () => stop.mutateAsync({ id, workflowId })}
    >
      {text.stop}
    </ActionButton>
  );
}

const SHOWN = 30;
const FEWEST = 2;

/** How long the last runs took and how they ended, oldest first; nothing until there are some to compare. */
function RunChart({ runs }: { readonly runs: readonly ShownRun[] }) {
  const text = useRunsText();
  const ended = runs.filter((run) => !isOpen(run)).slice(0, SHOWN);
  if (ended.length < FEWEST) return null;
  const bars = ended.toReversed().map((run, at): Bar => {
    const seconds = secondsOf(run);
    const values = run.status === 'completed' ? [seconds, 0] : [0, seconds];
    return { label: text.runAt(at + 1, dateAndTime(run.started_at ?? run.created_at)), values };
  });
  return (
    <Bars
      label={text.chart}
      unit={text.run}
      series={[text.took.good, text.took.bad]}
      bars={bars}
      format={(seconds) => formatDuration(seconds)}
    />
  );
}
