import type { Database } from '../db/core/database.ts';
import { enterMessages } from '../db/search/enter-messages.ts';

/** The dependencies of what enters messages into the index of the search. */
export interface SearchDeps {
  readonly database: Database;
}

/** The pause when there are more messages, or others enter some at this moment, in milliseconds. */
const PAUSE_MS = 1_000;

/**
 * Makes the activity that enters new messages into the index of the search for some seconds. Returns in how many
 * milliseconds it goes on, or null when the search knows all.
 */
export function createEnterNewMessages({ database }: SearchDeps) {
  return async function enterNewMessages(): Promise<number | null> {
    return (await enterMessages(database)) ? null : PAUSE_MS;
  };
}
