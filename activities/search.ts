import type { Database } from '../db/core/database.ts';
import { enterMessages } from '../db/search/enter-messages.ts';

/** The dependencies of what enters messages into the index of the search. */
export interface SearchDeps {
  readonly database: Database;
}

/** The pause when there are more messages, or others enter some at this moment, in milliseconds. */
const PAUSE_MS = 1_000;

/**
 * Creates the activity that enters new messages into the search index for some seconds. Returns in how many
 * milliseconds to continue, or null when all are indexed.
 */
export function createEnterNewMessages({ database }: SearchDeps) {
  return async function enterNewMessages(): Promise<number | null> {
    return (await enterMessages(database)) ? null : PAUSE_MS;
  };
}
