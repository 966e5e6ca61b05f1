import type { Client } from '@temporalio/client';
import type { Database } from '../../db/core/index.ts';

export interface SweepDeps {
  readonly database: Database;
  readonly client: Client;
}

/** A job that each worker repeats for a capability. The next run continues what one leaves undone. */
export interface Sweep {
  readonly name: string;
  /** @param stop aborts when the worker stops. */
  run(deps: SweepDeps, stop?: AbortSignal): Promise<void>;
}
