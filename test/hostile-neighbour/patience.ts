/** Far beyond what anybody waits for an answer on a busy machine, in milliseconds: only what never comes reaches it. */
export const PATIENCE_MS = 60_000;
