import { useMemo, useState } from 'react';
import { dateAndTime } from '../../core/text/times.ts';
import { DayStrip, daysAround } from '../../ui/charts/day-strip.tsx';
import { Section } from '../../ui/page/section.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { Schedule } from '../queries.ts';
import classes from '../schedules.module.css';
import { useSchedulesText } from '../text.ts';
import { comingTogether } from './coming.ts';
import { timingOf } from './timing-of.ts';

const DAYS_AFTER = 6;

/** When the active schedules of a list run within a week, so that a crowd is seen before; nothing for one. */
export function ComingWeek({ schedules }: { readonly schedules: readonly Schedule[] }) {
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
