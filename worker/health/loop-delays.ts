import type { monitorEventLoopDelay } from 'node:perf_hooks';

const NANOSECONDS = 1e9;
const INTERVALS_KEPT = 12;

/** How late the event loop has been, in seconds. */
export interface LoopDelays {
  /** Of the last interval. */
  readonly p99: number;
  /** Of the last minute. */
  readonly max: number;
}

/**
 * Returns a function that ends an interval of five seconds and returns its delays. The longest is kept for a minute: a
 * stall is one sample of hundreds, and whoever reads the metrics may do so less often than an interval passes.
 */
export function createLoopDelays(
  loop: Pick<ReturnType<typeof monitorEventLoopDelay>, 'percentile' | 'max' | 'reset'>,
): () => LoopDelays {
  const longest: number[] = [];
  return () => {
    longest.push(loop.max);
    if (longest.length > INTERVALS_KEPT) longest.shift();
    const delays = { p99: loop.percentile(99) / NANOSECONDS, max: Math.max(...longest) / NANOSECONDS };
    loop.reset();
    return delays;
  };
}
