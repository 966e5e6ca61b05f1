import { formatDuration } from '../core/text/numbers.ts';
import { dateAndTime } from '../core/text/times.ts';
import { type Bar, Bars } from '../ui/charts/bars.tsx';
import { isOpen, type ShownRun } from './queries.ts';
import { secondsOf } from './run-badge.tsx';
import { useRunsText } from './text.ts';

const SHOWN = 30;
const FEWEST = 2;

/** How long the last runs took and how they ended, oldest first; nothing until there are some to compare. */
export function RunChart({ runs }: { readonly runs: readonly ShownRun[] }) {
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
