import type { Client } from '@temporalio/client';
import type { Database } from '../../db/core/index.ts';

export interface SweepDeps {
  readonly database: Database;
  readonly client: Client;
}

/** What a capability has the sweeper do again and again. What one run leaves undone, the next one finds. */
export interface Sweep {
  readonly name: string;
  run(deps: SweepDeps): Promise<void>;
}

/** Records that one run takes on at most. */
export const BATCH = 50;
