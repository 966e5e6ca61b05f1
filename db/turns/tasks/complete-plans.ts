import type { Statement } from '../../core/sql-pool.ts';
import type { ChangedTask } from './free-dependents.ts';

/**
 * Returns the statement that completes the plans, tasks without an agent, whose parts are all completed now that the
 * task of a turn is, and makes those due that wait for them. Completing one may complete another above it. It is sent
 * with the statement that ends the turn, and after it: of two parts that end at once, the later one sees both ends.
 */
export function completePlans(turnId: string): Statement<ChangedTask> {
  return {
    name: 'complete-plans-of-turn',
    text: completing(`select k.id, k.parent_task_id from turns t join tasks k on k.id = t.task_id
      where t.id = $1 and k.status = 'completed'`),
    values: [turnId],
  };
}

/** Returns the same statement for a task that a person has completed. */
export function completePlansOf(taskId: string): Statement<ChangedTask> {
  return {
    name: 'complete-plans',
    text: completing(`select k.id, k.parent_task_id from tasks k where k.id = $1 and k.status = 'completed'`),
    values: [taskId],
  };
}

/** Returns the same statement for a task of which a part was deleted. */
export function completePlanWithout(parentId: string): Statement<ChangedTask> {
  return {
    name: 'complete-plan-without',
    text: completing(`select null::uuid, k.parent_task_id from tasks k where k.parent_task_id = $1 limit 1`),
    values: [parentId],
  };
}

const IS_OPEN_PLAN = `p.assigned_agent_id is null and p.call_id is null and p.status in ('pending', 'in_progress')`;

/** Returns the statement that completes the plans above the tasks that `first` selects, with their parents. */
export const completing = (first: string) => `with recursive done (id, parent_id) as (
    (${first})
    union
    select p.id, p.parent_task_id from done join tasks p on p.id = done.parent_id
    where ${IS_OPEN_PLAN} and not exists (
      select from tasks o where o.parent_task_id = p.id and o.status <> 'completed' and o.id is distinct from done.id
    )
  ),
  completed as (
    update tasks p set status = 'completed', ended_at = now(), updated_at = now()
    where p.id = any(array(select id from done)) and ${IS_OPEN_PLAN} returning p.id
  )
  update tasks k set due_at = now() from task_dependencies d join completed on completed.id = d.needs_id
  where d.task_id = k.id and k.status = 'pending' and k.due_at is not null returning k.id as "taskId"`;
