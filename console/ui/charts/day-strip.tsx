import { type ReactNode, useMemo } from 'react';
import { type Column, Table } from '../page/page.tsx';
import classes from './charts.module.css';
import { useChartsText } from '../text.ts';

/** What a span is drawn as: it went well, it failed, it is at work, it is to come, it comes when another one does. */
export type SpanKind = 'good' | 'bad' | 'open' | 'coming' | 'meeting';

/** Something with a begin and an end, in milliseconds since 1970. */
export interface StripSpan {
  readonly from: number;
  readonly to: number;
  readonly kind: SpanKind;
}

/** One day of a strip, in milliseconds since 1970: on some days clocks are changed. */
export interface StripDay {
  readonly label: string;
  readonly from: number;
  readonly to: number;
}

interface DayStripProps {
  /** What is shown, for those who do not see it. */
  readonly label: string;
  /** One row each. */
  readonly days: readonly StripDay[];
  readonly spans: readonly StripSpan[];
  /** The kinds that there can be, with their names. */
  readonly kinds: Readonly<Partial<Record<SpanKind, string>>>;
  /** The time that is marked. */
  readonly now: number;
}

/** A day is drawn in cells of ten minutes: that is the least that can be seen of it on a phone. */
const CELLS = 144;
const HEIGHT = 10;
const KINDS = ['good', 'bad', 'open', 'coming', 'meeting'] as const satisfies readonly SpanKind[];
const HOURS = [0, 6, 12, 18, 24];
const TOPS: Readonly<Record<SpanKind, number>> = { good: 4, bad: 0, open: 4, coming: 4, meeting: 0 };

/** What happens on each of some days, a row each, with how much it is in a table that opens below. */
export function DayStrip({ label, days, spans, kinds, now }: DayStripProps): ReactNode {
  const text = useChartsText();
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.stripLegend}>
        {namesOf(kinds).map(({ kind, name }) => (
          <span key={kind} className={classes.stripKey}>
            <svg viewBox={`-1 -1 12 ${HEIGHT + 2}`} className={classes.stripSwatch} aria-hidden>
              <rect width="10" y={TOPS[kind]} height={HEIGHT - TOPS[kind]} className={classes[kind]} />
            </svg>
            {name}
          </span>
        ))}
      </figcaption>
      <div className={classes.days} aria-hidden>
        {days.map((day) => (
          <Day key={day.from} day={day} spans={spans} now={now} />
        ))}
        <span />
        <span className={classes.hours}>
          {HOURS.map((hour) => (
            <span key={hour}>{`${hour}:00`}</span>
          ))}
        </span>
      </div>
      <details className={classes.table}>
        <summary>{text.showTable}</summary>
        <Numbers label={label} days={days} spans={spans} kinds={kinds} />
      </details>
    </figure>
  );
}

function Day({ day, spans, now }: { readonly day: StripDay } & Pick<DayStripProps, 'spans' | 'now'>): ReactNode {
  const cells = useMemo(() => cellsOf(spans, day), [spans, day]);
  const isToday = day.from <= now && now < day.to;
  const at = ((now - day.from) / (day.to - day.from)) * CELLS;
  return (
    <>
      <span className={classes.day} data-today={isToday || undefined}>
        {day.label}
      </span>
      <svg viewBox={`0 0 ${CELLS} ${HEIGHT}`} preserveAspectRatio="none" className={classes.row}>
        {cells.map(({ kind, at: x, width }) => (
          <rect
            key={`${kind} ${x}`}
            x={x}
            width={width}
            y={TOPS[kind]}
            height={HEIGHT - TOPS[kind]}
            className={classes[kind]}
          />
        ))}
        {isToday && <line x1={at} x2={at} y2={HEIGHT} className={classes.now} />}
      </svg>
    </>
  );
}

function Numbers({ label, days, spans, kinds }: Omit<DayStripProps, 'now'>): ReactNode {
  const text = useChartsText();
  const begunOn = (day: StripDay) => spans.filter(({ from }) => day.from <= from && from < day.to);
  const columns: readonly Column<StripDay>[] = [
    { key: 'day', title: text.day, cell: (day) => day.label },
    ...namesOf(kinds).map(({ kind, name }): Column<StripDay> => ({
      key: kind,
      title: name,
      isNumber: true,
      cell: (day) => begunOn(day).filter((span) => span.kind === kind).length,
    })),
  ];
  return <Table label={label} columns={columns} rows={days} keyOf={({ from }) => String(from)} />;
}

function namesOf(kinds: DayStripProps['kinds']): { kind: SpanKind; name: string }[] {
  return KINDS.flatMap((kind) => {
    const name = kinds[kind];
    return name === undefined ? [] : [{ kind, name }];
  });
}

/** A part of a day's row, in cells of ten minutes from its begin. */
export interface StripCell {
  readonly kind: SpanKind;
  readonly at: number;
  readonly width: number;
}

/** Returns what is drawn of a day: spans of one kind that touch are one cell, so that there are never many. */
export function cellsOf(spans: readonly StripSpan[], day: StripDay): StripCell[] {
  const cellMs = (day.to - day.from) / CELLS;
  const drawn = new Map<SpanKind, boolean[]>();
  for (const { from, to, kind } of spans) {
    if (from >= day.to || (to <= day.from && from < day.from)) continue;
    const cells = drawn.get(kind) ?? [];
    drawn.set(kind, cells);
    const first = Math.max(0, Math.floor((from - day.from) / cellMs));
    const end = Math.min(CELLS, Math.max(first + 1, Math.ceil((to - day.from) / cellMs)));
    for (let cell = first; cell < end; cell += 1) cells[cell] = true;
  }
  return [...drawn].flatMap(([kind, cells]) => runsOf(cells).map((run) => ({ kind, ...run })));
}

function runsOf(cells: readonly boolean[]): Omit<StripCell, 'kind'>[] {
  const runs: { at: number; width: number }[] = [];
  for (let cell = 0; cell < cells.length; cell += 1) {
    const last = runs.at(-1);
    if (cells[cell] !== true) continue;
    if (last !== undefined && last.at + last.width === cell) last.width += 1;
    else runs.push({ at: cell, width: 1 });
  }
  return runs;
}

/** Returns days on the clock of the browser, from `before` days ahead of a time to `after` days behind it. */
export function daysAround(time: number, before: number, after: number, format: (day: Date) => string): StripDay[] {
  const midnight = (offset: number) => {
    const day = new Date(time);
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() + offset);
  };
  return Array.from({ length: before + after + 1 }, (_, at) => {
    const from = midnight(at - before);
    return { label: format(from), from: from.getTime(), to: midnight(at - before + 1).getTime() };
  });
}
