import type { Database } from '../../core/index.ts';

/** A schedule whose slot may be due. */
export interface DueSchedule {
  readonly orgId: string;
  readonly scheduleId: string;
}

/** Due schedules among which the organizations are given turns. */
const CANDIDATES = 2_000;

/**
 * Returns schedules whose slots are due, at most `limit`: the longest due of every organization, then the next of each.
 * No other process is given them for some seconds.
 */
export async function takeDueSchedules({ system }: Database, limit: number, now: Date): Promise<DueSchedule[]> {
  const { rows } = await system.query<DueSchedule>({
    name: 'take-due-schedules',
    text: `update schedules set due_at = $2::timestamptz + interval '10 seconds' where id in (
        select s.id from (
          select id, row_number() over (partition by org_id order by due_at, id) as place, due_at from (
            select id, org_id, due_at from schedules where due_at is not null and due_at <= $2
            order by due_at limit ${CANDIDATES}
          ) waiting order by place, due_at, id limit $1
        ) chosen join schedules s on s.id = chosen.id
        where s.due_at <= $2 for update of s skip locked
      ) returning id as "scheduleId", org_id as "orgId"`,
    values: [limit, now],
  });
  return rows;
}
