/**
 * The bytes that a database server may send before the statement itself: libraries make an object of each row of what
 * is asked then.
 */
export const MAX_PRELUDE_BYTES = 256 * 1024;
