/** Work that was due then, and is still to be done, in SQL: the workflow that does it was not woken, or is gone. */
export const OVERDUE = "now() - interval '10 seconds'";

/** Rows that one recovery scan takes of a table; the next one takes those that are overdue then. */
export const MAX_OVERDUE = 500;

/** Returns the milliseconds until a time, 0 once it has come, in SQL. */
export const msUntil = (time: string) => `ceil(greatest(0, extract(epoch from ${time} - now())) * 1000)::float8`;
