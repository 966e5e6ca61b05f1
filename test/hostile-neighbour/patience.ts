/** How long the neighbour waits for an answer, in milliseconds; a turn that takes longer counts as this long. */
export const PATIENCE_MS = 10_000;
