import type { ReactNode } from 'react';
import classes from './charts.module.css';

interface SparklineProps {
  /** Says what the line shows: "Tokens of the last week: 3, 5, 9". */
  readonly label: string;
  readonly values: readonly number[];
}

const [WIDTH, HEIGHT, EDGE] = [96, 24, 2];

/** A line of numbers, as high as a line of text; the numbers themselves are in its words. */
export function Sparkline({ label, values }: SparklineProps): ReactNode {
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={classes.sparkline} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={pointsOf(values)} />
    </svg>
  );
}

/** Returns the points of a line through some numbers, the least at the bottom and the greatest at the top. */
export function pointsOf(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = values.length > 1 ? (WIDTH - 2 * EDGE) / (values.length - 1) : 0;
  const yOf = (value: number) => (most > least ? (value - least) / (most - least) : 0.5) * (HEIGHT - 2 * EDGE);
  return values.map((value, at) => `${round(EDGE + at * step)},${round(HEIGHT - EDGE - yOf(value))}`).join(' ');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
