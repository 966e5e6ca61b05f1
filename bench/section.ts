import type { Undo } from '../test/support/undo.ts';
import type { IdleCpu } from './figures/cpu-window.ts';
import type { Instance } from './instance/instance.ts';
import type { BenchOptions } from './options.ts';
import type { Target } from './report/target.ts';

/** The means of measurement that sections share. */
export interface Bench {
  readonly instance: Instance;
  readonly options: BenchOptions;
  readonly undo: Undo;
  /** What the instance and its model use while nothing happens. */
  readonly idle: IdleCpu;
  /** Starts another instance of the same checkout, for a section that needs one without a past. */
  startFresh(): Promise<Instance>;
}

/** The findings of a section, whose tables are printed by then. */
export interface SectionResult {
  readonly targets: readonly Target[];
  /** The part with the most work, in microseconds of the monotonic clock, for profiles. */
  readonly busiest?: { readonly name: string; readonly window: readonly [number, number] };
}

/** Five chunks, a new one every 10 ms: a short answer that comes in several packets, as real ones do. */
export const PLAIN_ANSWER = { chunks: 5, everyMs: 10 };
