import { type PointerEvent, useRef } from 'react';
import type { Span, TimeLine } from './time-axis.ts';

/** Less than so many pixels is a click, not a drag. */
const LEAST_PX = 4;

interface RangeDrag {
  readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerUp: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerCancel: (event: PointerEvent<HTMLElement>) => void;
}

/** Returns what selects a range of a line by dragging over it; a finger moves the line instead. */
export function useRangeDrag(line: TimeLine, onRange: (range: Span) => void): RangeDrag {
  const begun = useRef<number>(undefined);
  const placeOf = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) =>
    clientX - currentTarget.getBoundingClientRect().left;
  const end = () => {
    begun.current = undefined;
  };
  return {
    onPointerDown: (event) => {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      begun.current = placeOf(event);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event) => {
      const { current: from } = begun;
      const to = placeOf(event);
      if (from === undefined || Math.abs(to - from) < LEAST_PX) return;
      const times = [line.timeAt(from), line.timeAt(to)];
      onRange({ from: Math.min(...times), to: Math.max(...times) });
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}
