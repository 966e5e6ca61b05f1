import { type RefObject, type UIEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { fittingScale, segmentsOf, type Span, ticksOf, timeLineOf, type Tick, type TimeLine } from './time-axis.ts';

/** A line of time with the times that are named on it. */
export interface DrawnLine {
  readonly line: TimeLine;
  readonly ticks: readonly Tick[];
}

/** A line of time of a certain zoom, and what moves it. */
interface Timeline extends DrawnLine {
  /** What holds ruler and rows. */
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly ruler: RefObject<HTMLDivElement | null>;
  readonly onScroll: (event: UIEvent<HTMLElement>) => void;
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  readonly fit: () => void;
  /** Moves the line so that a span is seen, when it is not. */
  readonly reveal: (span: Span) => void;
}

const ZOOM = 1.6;
const MAX_ZOOM = 4_000;
const MAX_PX = 1_000_000;
const FIRST_PX = 600;
/** Room on the right, so that the last bar and its time are seen. */
const END_PX = 16;

/**
 * Lays spans out on a line that fits its room until somebody zooms. What no span covers for longer than `gapMs` is a
 * cut.
 */
export function useTimeline(spans: readonly Span[], whole: Span, gapMs: number): Timeline {
  const frame = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLDivElement>(null);
  const room = useWidth(ruler);
  const [zoom, setZoom] = useState(1);
  const segments = useMemo(() => segmentsOf(spans, whole, gapMs), [spans, whole, gapMs]);
  const scale = useMemo(() => {
    const fitting = fittingScale(segments, Math.max(room - END_PX, 1));
    return Math.min(fitting * zoom, Math.max(fitting, MAX_PX * (fitting / Math.max(room, 1))));
  }, [segments, room, zoom]);
  const line = useMemo(() => timeLineOf(segments, scale), [segments, scale]);
  const ticks = useMemo(() => ticksOf(segments, scale), [segments, scale]);
  useKeptMiddle(ruler, line.width);
  const zoomBy = (factor: number) => setZoom((known) => Math.min(Math.max(known * factor, 1), MAX_ZOOM));
  useWheel(frame, ruler, zoomBy);
  const reveal = useCallback(({ from, to }: Span) => scrollTo(ruler.current, line.at(from), line.at(to)), [line]);
  return {
    line,
    ticks,
    frame,
    ruler,
    // A property that the bars of all rows follow: moving the line renders nothing anew.
    onScroll: ({ currentTarget }) => frame.current?.style.setProperty('--shift', `${-currentTarget.scrollLeft}px`),
    zoomIn: () => zoomBy(ZOOM),
    zoomOut: () => zoomBy(1 / ZOOM),
    fit: () => setZoom(1),
    reveal,
  };
}

// To its begin, unless a part of it is in sight.
function scrollTo(ruler: HTMLElement | null, from: number, to: number): void {
  if (ruler === null) return;
  const { scrollLeft, clientWidth } = ruler;
  if (to < scrollLeft || from > scrollLeft + clientWidth) ruler.scrollTo({ left: from - clientWidth / 4 });
}

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(FIRST_PX);
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => entry !== undefined && setWidth(entry.contentRect.width));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

// What is in the middle stays there when the line is stretched.
function useKeptMiddle(ruler: RefObject<HTMLElement | null>, width: number): void {
  const before = useRef(width);
  useEffect(() => {
    const { current } = ruler;
    if (current === null || before.current === width) return;
    const half = current.clientWidth / 2;
    current.scrollTo({ left: ((current.scrollLeft + half) / before.current) * width - half });
    before.current = width;
  }, [ruler, width]);
}

// With Ctrl or ⌘, as a pinch sends it, the wheel zooms; sideways it moves the line.
function useWheel(
  frame: RefObject<HTMLElement | null>,
  ruler: RefObject<HTMLElement | null>,
  zoomBy: (factor: number) => void,
): void {
  const latest = useRef(zoomBy);
  useEffect(() => {
    latest.current = zoomBy;
  });
  useEffect(() => {
    const { current } = frame;
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        latest.current(event.deltaY < 0 ? ZOOM : 1 / ZOOM);
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) && ruler.current !== event.target) {
        ruler.current?.scrollBy(event.deltaX, 0);
      }
    };
    current?.addEventListener('wheel', onWheel, { passive: false });
    return () => current?.removeEventListener('wheel', onWheel);
  }, [frame, ruler]);
}
