import { Link } from '@tanstack/react-router';
import { Square } from 'lucide-react';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import { isOpen, type ShownRun, useInterruptRun } from './queries.ts';
import { RunBadge, RunDuration } from './run-badge.tsx';
import classes from './runs.module.css';
import { type RunsText, useRunsText } from './text.ts';

interface RunTableProps {
  readonly runs: readonly ShownRun[];
  /** The workflow whose runs they are; null for those of a schedule. */
  readonly workflowId: string | null;
}

/** The runs of one workflow or schedule, each with its outcome, its duration and its conversation. */
export function RunTable({ runs, workflowId }: RunTableProps) {
  const text = useRunsText();
  return <Table label={text.list} columns={columnsOf(text, workflowId)} rows={runs} keyOf={({ id }) => id} />;
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

function ChatLink({ chatId }: { readonly chatId: string | null }) {
  const [text, orgId] = [useRunsText(), useOrgId()];
  if (chatId === null) return text.noChat;
  return (
    <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }}>
      {text.chat}
    </Link>
  );
}

interface StopButtonProps {
  readonly id: string;
  readonly workflowId: string | null;
}

/** Stops a run that is open. */
export function StopButton({ id, workflowId }: StopButtonProps) {
  const text = useRunsText();
  const [stop, toast, refusal] = [useInterruptRun(), useToast(), useRefusal('schedules.manage')];
  return (
    <Button
      reason={refusal}
      busy={stop.isPending}
      onClick={() =>
        stop.mutate(
          { id, workflowId },
          { onSuccess: () => toast(text.stopped), onError: (error) => toast(error.message, 'failed') },
        )
      }
    >
      <Square aria-hidden />
      {text.stop}
    </Button>
  );
}
