import type { StartTurnDeps } from '../../turns/index.ts';

/** What deciding about runs needs. */
export interface RunDeps extends StartTurnDeps {
  /** How long a person's decision before a step is waited for, in milliseconds. */
  readonly approvalWaitMs: number;
}
