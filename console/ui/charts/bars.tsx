import { type ReactNode, useMemo } from 'react';
import { type Column, Table } from '../page/page.tsx';
import classes from './charts.module.css';
import { useChartsText } from '../text.ts';

/** One bar: what it is about, and how much of each series it has, in the order of the series. */
export interface Bar {
  readonly label: string;
  readonly values: readonly number[];
}

interface BarsProps {
  /** What is shown, for those who do not see it. */
  readonly label: string;
  /** The names of what is stacked, at most eight. */
  readonly series: readonly string[];
  /** One for each day, or for each other thing, at most some hundreds. */
  readonly bars: readonly Bar[];
  /** Writes a number with its unit. */
  readonly format: (value: number) => string;
  /** The heading of what the bars are about; the day unless given. */
  readonly unit?: string;
  /** Whether the same numbers are in a table of the page, so that they need none of their own. */
  readonly isTabled?: boolean;
}

const HEIGHT = 160;
const STEP = 20;
const GAP = 4;
/** With fewer bars the rest of the picture stays empty: one bar is not as wide as all of it. */
const LEAST_STEPS = 12;

/** Bars of which each is a stack of series, with the same numbers in a table that opens below them. */
export function Bars({ label, series, bars, format, unit, isTabled = false }: BarsProps): ReactNode {
  const text = useChartsText();
  const highest = Math.max(...bars.map(sumOf), 0);
  const steps = Math.max(LEAST_STEPS, bars.length);
  return (
    <figure className={classes.figure}>
      <figcaption className={classes.legend}>
        {series.map((name, at) => (
          <span key={name} className={classes.key}>
            <svg viewBox="0 0 10 10" className={classes.swatch} aria-hidden>
              <rect width="10" height="10" rx="2" className={colourOf(at)} />
            </svg>
            {name}
          </span>
        ))}
        <span className={classes.highest}>{format(highest)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${steps * STEP} ${HEIGHT}`} preserveAspectRatio="none" className={classes.bars} aria-hidden>
        {bars.map((bar, at) => (
          <g key={bar.label}>
            <title>{`${bar.label}: ${format(sumOf(bar))}`}</title>
            <rect x={at * STEP} width={STEP} height={HEIGHT} className={classes.ground} />
            {stackOf(bar, highest).map(({ series: which, y, height }) => (
              <rect
                key={which}
                x={at * STEP + GAP / 2}
                width={STEP - GAP}
                y={y}
                height={height}
                className={colourOf(which)}
              />
            ))}
          </g>
        ))}
      </svg>
      <div className={classes.ends} style={{ inlineSize: `${(bars.length / steps) * 100}%` }} aria-hidden>
        <span>{bars[0]?.label}</span>
        <span>{bars.length > 1 && bars.at(-1)?.label}</span>
      </div>
      {!isTabled && (
        <details className={classes.table}>
          <summary>{text.showTable}</summary>
          <Numbers label={label} series={series} bars={bars} format={format} unit={unit ?? text.day} />
        </details>
      )}
    </figure>
  );
}

function Numbers({ label, series, bars, format, unit }: Required<Omit<BarsProps, 'isTabled'>>): ReactNode {
  const { total: totalTitle } = useChartsText();
  const columns = useMemo(() => {
    const own = series.map((name, at): Column<Bar> => ({
      key: `series ${name}`,
      title: name,
      isNumber: true,
      cell: ({ values }) => format(values[at] ?? 0),
    }));
    const first: Column<Bar> = { key: 'label', title: unit, cell: (bar) => bar.label };
    const total: Column<Bar> = {
      key: 'total',
      title: totalTitle,
      isNumber: true,
      cell: (bar) => format(sumOf(bar)),
    };
    return series.length > 1 ? [first, ...own, total] : [first, ...own];
  }, [series, format, unit, totalTitle]);
  return <Table label={label} columns={columns} rows={bars} keyOf={(bar) => bar.label} />;
}

/** Returns the pieces of a bar, from the ground up, in units of the picture. */
export function stackOf(bar: Bar, highest: number): { series: number; y: number; height: number }[] {
  let y = HEIGHT;
  return bar.values.flatMap((value, series) => {
    const height = highest > 0 ? (Math.max(0, value) / highest) * HEIGHT : 0;
    y -= height;
    return height > 0 ? [{ series, y, height }] : [];
  });
}

function sumOf({ values }: Bar): number {
  return values.reduce((sum, value) => sum + Math.max(0, value), 0);
}

const COLOURS = 8;

function colourOf(at: number): string {
  return classes[`colour${at % COLOURS}`] ?? '';
}
