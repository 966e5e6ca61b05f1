/** A condition in SQL with a `?` for its value; without a value it does not apply. */
type Condition = readonly [text: string, value: string | undefined];

/**
 * Returns the conditions that apply, joined with `and`, and their values from `$1` on. PostgreSQL can plan a statement
 * that contains only the conditions in use; for one with `$1 is null or ...` it cannot choose an index.
 */
export function whereAll(conditions: readonly Condition[]): { readonly where: string; readonly values: string[] } {
  const values: string[] = [];
  const parts = conditions.flatMap(([text, value]) => {
    if (value === undefined) return [];
    const number = values.push(value);
    return [text.replace('?', () => `$${number}`)];
  });
  return { where: parts.join(' and '), values };
}

/** Returns the first id that the service can have made in a millisecond: ids begin with their time. */
export function firstIdAt(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

const TIME = "lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')";

/** A new id in SQL: a UUID of version 7, for rows whose number the statement itself determines. */
export const NEW_ID = `(substr(${TIME}, 1, 8) || '-' || substr(${TIME}, 9, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid`;

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
