/** Due rows among which the organizations are given turns. */
const CANDIDATES = 2_000;

/** How many rows of a table are taken, and when it is, in SQL. */
interface Due {
  readonly limit: string;
  readonly now: string;
}

/**
 * Returns what the id of a due row equals, by `due_at`, in SQL: the longest due of every organization, then the next of
 * each. They are locked, and those that another process has locked are left out. As an array it is made once: a
 * subquery may be run again for each row that it is compared with, and lock others then.
 */
export const dueInTurns = (table: string, { limit, now }: Due) => `any(array(
    select o.id from (
      select id, row_number() over (partition by org_id order by due_at, id) as place, due_at from (
        select id, org_id, due_at from ${table} where due_at is not null and due_at <= ${now}
        order by due_at limit ${CANDIDATES}
      ) waiting order by place, due_at, id limit ${limit}
    ) chosen join ${table} o on o.id = chosen.id
    where o.due_at <= ${now} for update of o skip locked
  ))`;
