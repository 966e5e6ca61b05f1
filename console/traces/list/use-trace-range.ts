import { useCallback, useRef, useState } from 'react';
import type { Span } from '../../ui/timeline/time-axis.ts';
import type { TraceRow } from '../rows/trace-rows.ts';
import { rangeOfRows } from './range-sum.ts';

interface TraceRange {
  /** The time that is selected, in milliseconds since 1970. */
  readonly range: Span | undefined;
  readonly select: (range: Span) => void;
  /** Selects the time of all rows from the one where this began to another one; `at` is the row that is open now. */
  readonly extendTo: (at: number, to: number) => void;
  readonly clear: () => void;
}

/** Returns the range of a trace that is selected, by a drag over its line or row by row. */
export function useTraceRange(rows: readonly TraceRow[], readAt: number): TraceRange {
  const [range, setRange] = useState<Span>();
  // Where the rows that are selected begin: it stays while the other end moves.
  const anchor = useRef<string>(undefined);
  const clear = useCallback(() => {
    anchor.current = undefined;
    setRange(undefined);
  }, []);
  const select = useCallback((chosen: Span) => {
    anchor.current = undefined;
    setRange(chosen);
  }, []);
  const extendTo = (at: number, to: number) => {
    anchor.current ??= rows[Math.max(at, 0)]?.id;
    const known = rows.findIndex(({ id }) => id === anchor.current);
    const from = known < 0 ? to : known;
    setRange(rangeOfRows(rows.slice(Math.min(from, to), Math.max(from, to) + 1), readAt));
  };
  return { range, select, extendTo, clear };
}
