import { useNow } from '../core/clock.ts';
import { formatDuration } from '../core/text/numbers.ts';
import { Badge } from '../ui/page/badge.tsx';
import { isOpen, type RunStatus, type ShownRun } from './queries.ts';
import { useRunsText } from './text.ts';

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
