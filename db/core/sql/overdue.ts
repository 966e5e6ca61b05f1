/** Work that was due then, and is still to be done, in SQL: the workflow that does it was not woken, or is gone. */
export const OVERDUE = "now() - interval '10 seconds'";

/** Rows of a kind that the recovery scan takes at a time. */
const MAX_OVERDUE = 2_500;
/** The overdue rows, of those that are overdue for longest, that it chooses from. */
export const MAX_READ = 10_000;

/**
 * Returns, in SQL, a bounded batch of what is overdue: of each organization the same number, as long as it has so many.
 *
 * @param overdue is SQL that returns `"orgId"` and what else is wanted, overdue for longest first.
 * @param order is the order in which those of one organization come. Without one, rows whose work always fails keep no
 *   others from being taken.
 */
export function fairBatch(overdue: string, order = 'random()'): string {
  return `select o.* from (${overdue} limit ${MAX_READ}) o
    order by row_number() over (partition by o."orgId" order by ${order}) limit ${MAX_OVERDUE}`;
}

/** Returns the milliseconds until a time, 0 once it has come, in SQL. */
export const msUntil = (time: string) => `ceil(greatest(0, extract(epoch from ${time} - now())) * 1000)::float8`;
