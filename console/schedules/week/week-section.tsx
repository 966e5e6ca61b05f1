import { useMemo, useState } from 'react';
import { formatDuration } from '../../core/text/numbers.ts';
import { DayStrip, daysAround } from '../../ui/charts/day-strip.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/section.tsx';
import { type Schedule, type ScheduleRun, useScheduleRuns } from '../queries.ts';
import classes from '../schedules.module.css';
import { useSchedulesText } from '../text.ts';
import { comingOf, MOST_COMING } from './coming.ts';
import { pastOf, usualMs } from './past.ts';
import { timingOf } from './timing-of.ts';

const DAYS_BEFORE = 6;
const DAYS_AFTER = 7;

/** The runs of a schedule's last days and its times of the next ones, so that those that meet are seen before. */
export function WeekSection({ schedule }: { readonly schedule: Schedule }) {
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
        <p className={classes.warn}>
          {text.meetings(coming.meetings, formatDuration(usual / 1_000), text.overlaps[schedule.overlap])}
        </p>
      )}
      {isPastCut && <p className={classes.soft}>{text.lastRunsOnly(runs.length)}</p>}
      {coming.isCut && <p className={classes.soft}>{text.nextTimesOnly(MOST_COMING)}</p>}
    </>
  );
}
