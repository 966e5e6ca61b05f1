import type { Instance } from './instance.ts';
import type { BenchOptions } from './options.ts';
import type { Target } from './report.ts';
import type { Undo } from '../test/support/undo.ts';

/** The means of measurement that sections share. */
export interface Bench {
  readonly instance: Instance;
  readonly options: BenchOptions;
  readonly undo: Undo;
}

/** The findings of a section, whose tables are printed by then. */
export interface SectionResult {
  readonly targets: readonly Target[];
  /** The part with the most work, in microseconds of the monotonic clock, for profiles. */
  readonly busiest?: { readonly name: string; readonly window: readonly [number, number] };
}
