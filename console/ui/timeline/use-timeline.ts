import { type RefObject, type UIEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';

/** A stretch of time, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A part of the axis: time as it passes, or a cut that stands for a long time in which nothing happens. */
export interface Segment extends Span {
  readonly isCut: boolean;
}

/** Places times on a line of a certain scale. */
export interface TimeLine {
  readonly width: number;
  /** Returns the place of a time, in pixels from the begin. */
  at(time: number): number;
  /** Returns the time at a place; at one beyond the line that of its begin or end. */
  timeAt(x: number): number;
  readonly cuts: readonly (Span & { readonly x: number })[];
}

/** A place on the line that is named. */
export interface Tick {
  readonly x: number;
  /** Milliseconds since the begin of the axis. */
  readonly offset: number;
}

/** The width of a cut in pixels, whatever its length. */
export const CUT_PX = 56;

/** The shortest stretch that is shown, so that a scale has something to divide by. */
const LEAST_MS = 1;
const TICK_PX = 90;
/** Beside a cut two of them may be closer to each other. */
const LEAST_TICK_PX = 60;
const MAX_TICKS = 400;

/**
 * Divides the time from `from` to `to`: a stretch longer than `gapMs` that none of the spans covers becomes a cut, as
 * do such stretches at both ends.
 */
export function segmentsOf(spans: readonly Span[], { from, to }: Span, gapMs: number): readonly Segment[] {
  const end = Math.max(to, from + LEAST_MS);
  const segments: Segment[] = [];
  let covered = from;
  const passTo = (time: number, isCut: boolean) => {
    if (time <= covered) return;
    const last = segments.at(-1);
    if (last !== undefined && !last.isCut && !isCut) segments[segments.length - 1] = { ...last, to: time };
    else segments.push({ from: covered, to: time, isCut });
    covered = time;
  };
  const sorted = spans.filter((span) => span.to >= from && span.from <= end).toSorted((a, b) => a.from - b.from);
  for (const span of sorted) {
    passTo(Math.min(span.from, end), span.from - covered > gapMs);
    passTo(Math.min(span.to, end), false);
  }
  passTo(end, end - covered > gapMs);
  return segments;
}

/** Returns the pixels of a millisecond with which the axis is as wide as `width`. */
export function fittingScale(segments: readonly Segment[], width: number): number {
  const cuts = segments.filter(({ isCut }) => isCut).length;
  const shown = segments.reduce((sum, { from, to, isCut }) => sum + (isCut ? 0 : to - from), 0);
  return Math.max(width - cuts * CUT_PX, CUT_PX) / Math.max(shown, LEAST_MS);
}

/** Lays the axis out with so many pixels for a millisecond. */
export function timeLineOf(segments: readonly Segment[], pxPerMs: number): TimeLine {
  let x = 0;
  const positioned = segments.map((segment) => {
    const begin = x;
    x += widthOf(segment, pxPerMs);
    return { ...segment, x: begin };
  });
  return {
    width: x,
    cuts: positioned.filter(({ isCut }) => isCut),
    at: (time) => {
      const segment = positioned[indexAt(positioned, time)];
      if (segment === undefined) return 0;
      const share = Math.min(Math.max((time - segment.from) / (segment.to - segment.from), 0), 1);
      return segment.x + share * widthOf(segment, pxPerMs);
    },
    timeAt: (at) => {
      const segment = positioned.findLast((each) => each.x <= at) ?? positioned[0];
      if (segment === undefined) return 0;
      const share = Math.min(Math.max((at - segment.x) / widthOf(segment, pxPerMs), 0), 1);
      return segment.from + share * (segment.to - segment.from);
    },
  };
}

/** Returns times at which the line is named: round ones, far enough from each other to be read. */
export function ticksOf(segments: readonly Segment[], pxPerMs: number): readonly Tick[] {
  const begin = segments[0]?.from ?? 0;
  const line = timeLineOf(segments, pxPerMs);
  const step = roundStep(TICK_PX / pxPerMs);
  const ticks: Tick[] = [];
  for (const { from, to, isCut } of segments) {
    if (isCut) continue;
    const first = Math.ceil((from - begin) / step) * step;
    for (let offset = first; begin + offset <= to && ticks.length < MAX_TICKS; offset += step) {
      const x = line.at(begin + offset);
      const last = ticks.at(-1);
      if (last === undefined || x - last.x >= LEAST_TICK_PX) ticks.push({ x, offset });
    }
  }
  return ticks;
}

function widthOf({ from, to, isCut }: Segment, pxPerMs: number): number {
  return isCut ? CUT_PX : (to - from) * pxPerMs;
}

// Thousands of bars are placed anew with each change of the scale.
function indexAt(segments: readonly Segment[], time: number): number {
  let [low, high] = [0, segments.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((segments[middle]?.from ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

const ROUND_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1.5e4, 3e4, 6e4, 1.2e5, 1.8e5, 3e5, 6e5, 9e5, 1.8e6, 3.6e6,
  2.16e7,
];
const DAY_MS = 8.64e7;

function roundStep(least: number): number {
  return ROUND_MS.find((step) => step >= least) ?? Math.ceil(least / DAY_MS) * DAY_MS;
}

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
