import type { Client } from '@temporalio/client';
import type { Database } from '../../db/core/index.ts';

export interface SweepDeps {
  readonly database: Database;
  readonly client: Client;
}

/** A job that the sweeper repeats for a capability. The next run continues what one leaves undone. */
export interface Sweep {
  readonly name: string;
  run(deps: SweepDeps): Promise<void>;
}

/** Records that one run takes on at most. */
export const BATCH = 50;
