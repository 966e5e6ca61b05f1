import type { CDPSession, Page } from 'playwright-core';

/**
 * What some work cost the main thread of a page, in milliseconds of processor time: what else runs beside it counts for
 * nothing.
 */
export interface MainThreadUse {
  /** How long the work was watched. */
  readonly wallMs: number;
  readonly scriptMs: number;
  /** Styles and layout. */
  readonly layoutMs: number;
  readonly paintMs: number;
  /** The longest tasks, the longest first. */
  readonly tasksMs: readonly number[];
}

/** An event of a trace: a piece of work of one thread, times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

type Kind = 'script' | 'layout' | 'paint';

const TASK = /^(ThreadControllerImpl::)?RunTask$/;
const KINDS: Readonly<Record<string, Kind>> = {
  FunctionCall: 'script',
  EvaluateScript: 'script',
  'v8.callFunction': 'script',
  'v8.run': 'script',
  RunMicrotasks: 'script',
  MinorGC: 'script',
  MajorGC: 'script',
  Layout: 'layout',
  UpdateLayoutTree: 'layout',
  PrePaint: 'paint',
  Paint: 'paint',
  Layerize: 'paint',
};
const CATEGORIES = ['toplevel', 'devtools.timeline', 'v8', '__metadata'];
const MOST_TASKS = 5;

/** Returns what a piece of work costs the main thread of a page, which has to be the busiest one of its browser. */
export async function watchMainThread(page: Page, work: () => Promise<unknown>): Promise<MainThreadUse> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser of its own');
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value) events.push(event as unknown as TraceEvent);
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES, recordMode: 'recordAsMuchAsPossible' },
  });
  const begin = performance.now();
  await work();
  const wallMs = performance.now() - begin;
  await endTracing(session);
  await session.detach();
  return { wallMs, ...useOf(busiestMainThread(events)) };
}

async function endTracing(session: CDPSession): Promise<void> {
  const complete = new Promise((resolve) => {
    session.once('Tracing.tracingComplete', resolve);
  });
  await session.send('Tracing.end');
  await complete;
}

function busiestMainThread(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mains = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
  );
  const byThread = Map.groupBy(
    events.filter((event) => event.ph === 'X' && mains.has(threadOf(event))),
    threadOf,
  );
  const cost = (own: readonly TraceEvent[]) =>
    own.reduce((sum, { name, tdur = 0 }) => sum + (TASK.test(name) ? tdur : 0), 0);
  return [...byThread.values()].toSorted((a, b) => cost(b) - cost(a))[0] ?? [];
}

// Each event is counted where it is innermost: the layout that a script forces is layout.
function useOf(events: readonly TraceEvent[]): Omit<MainThreadUse, 'wallMs'> {
  const own: Record<Kind, number> = { script: 0, layout: 0, paint: 0 };
  const open: { readonly end: number; readonly kind: Kind }[] = [];
  const tasks: number[] = [];
  for (const { name, ts, dur = 0, tdur = 0 } of events.toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    if (TASK.test(name)) tasks.push(tdur / 1_000);
    const kind = KINDS[name];
    if (kind === undefined) continue;
    while ((open.at(-1)?.end ?? Infinity) <= ts) open.pop();
    const around = open.at(-1)?.kind;
    own[kind] += tdur / 1_000;
    if (around !== undefined) own[around] -= tdur / 1_000;
    open.push({ end: ts + dur, kind });
  }
  return {
    scriptMs: own.script,
    layoutMs: own.layout,
    paintMs: own.paint,
    tasksMs: tasks.toSorted((a, b) => b - a).slice(0, MOST_TASKS),
  };
}
