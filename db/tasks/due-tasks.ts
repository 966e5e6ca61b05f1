import type { DueWork } from '../../domain/core/due-work.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { fairBatch, msUntil, OVERDUE } from '../core/sql.ts';
import { completing } from '../turns/tasks/complete-plans.ts';
import { IS_WAITING } from '../turns/tasks/begin-attempt.ts';

interface TaskRef {
  readonly orgId: string;
  readonly taskId: string;
}

/**
 * Returns, in SQL, when the agent of `tasks k` should have begun: after an interval. One that waits for others is due
 * late, since it becomes due when they are completed.
 */
export function dueAfter(interval: string): string {
  return `now() + case when ${IS_WAITING} then interval '1 hour' else interval '${interval}' end`;
}

/** The wait of a task's workflow. */
interface TaskWait {
  readonly waitsFor: 'room' | 'turn';
  /** When the task is read again if it has not changed before, in milliseconds. */
  readonly waitMs: number;
  readonly attempts: number;
}

/**
 * Returns what the workflow of a task waits for once its agent has tried to begin: the end of the attempt, or room for
 * one, which is noted. Undefined when the task has ended, or waits for others or for a person. The longer it has
 * waited, the later it is read again, unless its workflow is woken before.
 */
export async function noteTaskWait(
  { tenant }: TenantDatabase,
  { orgId, taskId }: TaskRef,
): Promise<TaskWait | undefined> {
  const [wait] = await tenant.query<TaskWait>(orgId, { name: 'note-task-wait', text: NOTE_WAIT, values: [taskId] });
  return wait;
}

const asLongAsSince = (time: string, least: string, most: string) =>
  `least(greatest(now() - ${time}, interval '${least}'), interval '${most}')`;

const ROOM_WAIT = asLongAsSince('k.updated_at', '30 seconds', '5 minutes');
const TURN_WAIT = asLongAsSince('k.started_at', '1 minute', '1 hour');

// In a deleted chat no agent begins, nor for a user who is gone, whatever room there is.
const NOTE_WAIT = `with noted as (
    update tasks k set due_at = case when w.is_blocked then now() + interval '1 hour' else now() + ${ROOM_WAIT} end,
      waits_for_room = not w.is_blocked
    from (
      select ${IS_WAITING} or not exists (
        select from chats c where c.id = k.chat_id and c.user_id = k.created_by and c.deleted_at is null
      ) as is_blocked
      from tasks k where k.id = $1
    ) w
    where k.id = $1 and k.status = 'pending' and k.due_at is not null returning k.due_at, k.attempts, w.is_blocked
  )
  select 'room' as "waitsFor", ${msUntil('due_at')} as "waitMs", attempts from noted where not is_blocked
  union all
  select 'turn', ${msUntil(`now() + ${TURN_WAIT}`)}, k.attempts from tasks k
  where k.id = $1 and k.status = 'in_progress' and exists (
    select from turns t where t.task_id = k.id and not t.is_report and t.status in ('queued', 'running')
  )`;

/** Returns tasks whose agents should have begun by now, of all organizations. */
export async function findOverdueTasks({ system }: Pick<Database, 'system'>): Promise<readonly DueWork[]> {
  const { rows } = await system.query<TaskRef>({
    name: 'find-overdue-tasks',
    text: fairBatch(`select org_id as "orgId", id as "taskId" from tasks
      where status = 'pending' and due_at is not null and due_at < ${OVERDUE} order by due_at`),
  });
  return rows.map((task) => ({ kind: 'task', ...task }));
}

/** How long ago tasks may have ended to be checked: several runs of the housekeeping. */
const ENDED_WITHIN_MS = 10 * 60_000;

/**
 * Makes the tasks due whose last open dependency was completed within the last minutes. Completing a task does so at
 * once; this finds what a process or a database that died just then has left.
 */
export async function freeDependentsOfCompleted({ system }: Pick<Database, 'system'>): Promise<void> {
  await system.query({
    name: 'free-dependents-of-completed',
    text: `update tasks k set due_at = now() where k.id = any(array(
        select d.task_id from task_dependencies d where d.needs_id = any(array(
          select o.id from tasks o
          where o.status = 'completed' and o.ended_at > now() - $1::bigint * interval '1 millisecond'
        ))
      )) and k.status = 'pending' and k.due_at > now() + interval '1 minute' and not ${IS_WAITING}`,
    values: [ENDED_WITHIN_MS],
  });
}

/**
 * Completes the plans whose last open part was completed within the last minutes. Completing a part does so at once;
 * this finds what a process or a database that died just then has left.
 */
export async function completePlansOfCompleted({ system }: Pick<Database, 'system'>): Promise<void> {
  await system.query({
    name: 'complete-plans-of-completed',
    text: completing(`select k.id, k.parent_task_id from tasks k
      where k.status = 'completed' and k.ended_at > now() - $1::bigint * interval '1 millisecond'
        and k.parent_task_id is not null`),
    values: [ENDED_WITHIN_MS],
  });
}
