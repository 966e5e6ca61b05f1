import { timeFromNow } from '../../core/text/times.ts';
import { TimesTable } from '../../ui/cron-field/cron-field.tsx';
import { Badge } from '../../ui/page/badge.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/section.tsx';
import type { Column } from '../../ui/page/table.tsx';
import { type Schedule, useNextTimes } from '../queries.ts';
import classes from '../schedules.module.css';
import { type SchedulesText, useSchedulesText } from '../text.ts';

/** The next times of a schedule on both clocks, and which of them is stored as the next run. */
export function NextTimes({ schedule }: { readonly schedule: Schedule }) {
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
            <p className={classes.soft}>{text.noTimes}</p>
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
