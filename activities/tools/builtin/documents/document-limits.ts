/** What a reader shows unless more is asked for; leaves room for the notes beside it in a result. */
export const SHOWN_CHARACTERS = 14_000;
/** The most that a reader can be asked for: the whole of a long result goes into a file. */
export const MAX_CHARACTERS = 1_500_000;
