import type { Client } from '@temporalio/client';
import type { Database } from '../../db/core/index.ts';
import type { ConversationInput } from '../../workflows/turns/contract.ts';

export interface SweepDeps {
  readonly database: Database;
  readonly client: Client;
  /** Takes up the chat's oldest open turn in this process, where none runs it; its workflow was woken. */
  readonly takeUp: (chat: ConversationInput) => void;
}

/** A job that the sweeper repeats for a capability. The next run continues what one leaves undone. */
export interface Sweep {
  readonly name: string;
  /** @param stop aborts when the worker stops. */
  run(deps: SweepDeps, stop?: AbortSignal): Promise<void>;
}

/** Records that one run takes on at most. */
export const BATCH = 50;
