/** Longest message a user may send, in UTF-16 code units. */
export const MAX_CONTENT_CHARACTERS = 200_000;

/** Longest answer kept of one model call; a longer one ends the turn as failed with what came so far. */
export const MAX_ANSWER_CHARACTERS = 1_000_000;
