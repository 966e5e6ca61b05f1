import { Link, useSearch } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useChangeSearch } from '../core/routing/search.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { dateAndTime, timeOfDay } from '../core/text/formats.ts';
import { useRuns } from '../runs/index.ts';
import { daysAround } from '../ui/charts/day-strip.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import { type CalendarDay, type CalendarEntry, calendarOf, ENTRY_KINDS } from './calendar.ts';
import type { Schedule } from './queries.ts';
import classes from './schedules.module.css';
import { useSchedulesText } from './text.ts';

/** How many days are shown, and how many of them have passed. */
const RANGES = { week: { length: 7, passed: 1 }, month: { length: 28, passed: 7 } } as const;

const MOST_SHOWN = 4;

/** What schedules have done and will do, day by day: a week, or four of them. */
export function ScheduleCalendar({ schedules }: { readonly schedules: readonly Schedule[] }): ReactNode {
  const text = useSchedulesText();
  const change = useChangeSearch<{ range: 'month' }>();
  const { range = 'week' } = useSearch({ from: '/o/$orgId/schedules' });
  const [shift, setShift] = useState(0);
  // The picture stands still while one looks at it; what is read anew changes it.
  const [now] = useState(() => Date.now());
  const { length, passed } = RANGES[range];
  const days = useMemo(() => {
    const before = passed - shift * length;
    return daysAround(now, before, length - 1 - before, text.day);
  }, [now, shift, length, passed, text]);
  const runs = useRuns({
    kind: 'schedule',
    triggered_by: 'schedule',
    from: new Date(days[0]?.from ?? now).toISOString(),
  });
  const calendar = useMemo(() => {
    const { items = [], total = 0 } = runs.data ?? {};
    return calendarOf({ days, schedules, runs: items, hasMore: runs.data === undefined || items.length < total, now });
  }, [days, schedules, runs.data, now]);
  const choose = (chosen: 'month' | undefined) => {
    setShift(0);
    change({ range: chosen });
  };
  return (
    <Section
      title={text.calendar.title}
      lead={text.calendar.lead}
      actions={
        <>
          <Button icon={ChevronLeft} aria-label={text.calendar.before} onClick={() => setShift(shift - 1)} />
          <Button aria-pressed={shift === 0} onClick={() => setShift(0)}>
            {text.calendar.today}
          </Button>
          <Button icon={ChevronRight} aria-label={text.calendar.after} onClick={() => setShift(shift + 1)} />
          <Button aria-pressed={range === 'week'} onClick={() => choose(undefined)}>
            {text.calendar.week}
          </Button>
          <Button aria-pressed={range === 'month'} onClick={() => choose('month')}>
            {text.calendar.month}
          </Button>
        </>
      }
    >
      <p className={classes.legend}>
        {ENTRY_KINDS.map((kind) => (
          <span key={kind} data-kind={kind} className={classes.key}>
            {text.calendar.kinds[kind]}
          </span>
        ))}
      </p>
      <ol className={classes.days} aria-label={text.calendar.title}>
        {calendar.days.map((day) => (
          <Day key={day.from} day={day} isToday={day.from <= now && now < day.to} />
        ))}
      </ol>
      {calendar.busiest !== undefined && (
        <p className="soft">
          {text.busiest(
            dateAndTime(new Date(calendar.busiest.at).toISOString()),
            calendar.busiest.names.map((name) => showInvisible(name)),
          )}
        </p>
      )}
      {calendar.frequent.length > 0 && (
        <p className="soft">{text.frequent(calendar.frequent.map((name) => showInvisible(name)))}</p>
      )}
    </Section>
  );
}

function Day({ day, isToday }: { readonly day: CalendarDay; readonly isToday: boolean }): ReactNode {
  const text = useSchedulesText();
  const [first, others] = [day.entries.slice(0, MOST_SHOWN), day.entries.slice(MOST_SHOWN)];
  return (
    <li className={classes.day} data-empty={day.entries.length === 0 || undefined}>
      <span className={classes.label} aria-current={isToday ? 'date' : undefined}>
        {day.label}
      </span>
      <Entries entries={first} />
      {others.length > 0 && (
        <details>
          <summary className="soft">{text.calendar.more(others.length)}</summary>
          <Entries entries={others} />
        </details>
      )}
    </li>
  );
}

function Entries({ entries }: { readonly entries: readonly CalendarEntry[] }): ReactNode {
  const [text, orgId] = [useSchedulesText(), useOrgId()];
  return (
    <ul>
      {entries.map(({ scheduleId, name, kind, at, count }) => (
        <li key={`${scheduleId} ${kind}`} data-kind={kind} className={classes.entry}>
          <Link
            to="/o/$orgId/schedules/$scheduleId"
            params={{ orgId, scheduleId }}
            title={`${showInvisible(name)}: ${text.calendar.kinds[kind]}`}
          >
            <span className="muted tabular-nums">{timeOfDay(new Date(at).toISOString())}</span> {showInvisible(name)}
            {count > 1 && ` ×${count}`}
            <span className="hidden">, {text.calendar.kinds[kind]}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
