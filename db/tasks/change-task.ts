import type { EntityManager } from '@mikro-orm/postgresql';
import { isDeepStrictEqual } from 'node:util';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs.ts';
import type { Priority } from '../../domain/priorities.ts';
import { isEnded, statusesAfter, type TaskStatus } from '../../domain/tasks.ts';
import { allowAssigned } from '../../domain/permissions/restrict.ts';
import { setsAny } from '../../domain/resources.ts';
import { requireAgent } from '../agents/agents.ts';
import { afterCommit, type BoardNews } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { uuidArray } from '../records/records.ts';
import { attemptStatements } from '../turns/tasks/begin-attempt.ts';
import { completePlansOf, completePlanWithout, freeDependentsOf, tasksOf } from '../turns/tasks/complete-plans.ts';
import { requestInterrupt } from '../turns/request-interrupt.ts';
import { requireRoomForWork } from '../work-usage.ts';
import type { TaskLimits } from './add-tasks.ts';
import { dueAfter } from './due-tasks.ts';
import { takePosition } from './board.ts';
import { isDue, isOfChat, ofUser, readOwnTasks, type Task, type TaskActor, type TaskRef } from './tasks.ts';

/** The fields of a task that a person changes. */
export interface TaskChanges {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: Priority | undefined;
  readonly status?: TaskStatus | undefined;
  /** Its position on the board; right after the task that already has this one. */
  readonly position?: string | undefined;
  readonly assignedAgentId?: string | null | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  /** What has come out of it. */
  readonly output?: string | null | undefined;
  /** Whether what is written may repeat what was read from outside. */
  readonly isForeign?: boolean | undefined;
}

/** A task whose row is locked until the transaction has ended. */
interface LockedTask {
  readonly id: string;
  readonly chatId: string;
  readonly projectId: string | null;
  /** Whether others may see it, who see shared chats. */
  readonly isShared: boolean;
  readonly status: TaskStatus;
  readonly title: string;
  readonly description: string;
  readonly priority: Priority;
  readonly position: string;
  readonly output: string | null;
  readonly assignedAgentId: string | null;
  /** In order of their ids. */
  readonly dependsOn: readonly string[];
  readonly parentTaskId: string | null;
  /** Whether a turn delegated it: it begins and ends with the sub-agent. */
  readonly isDelegated: boolean;
  /** Whether an attempt at it runs, or waits for its turn. */
  readonly isAtWork: boolean;
}

/**
 * Changes the given fields of the user's task only, and begins it when it is pending then and has an agent. `conflict`
 * for a state that may not follow, while an agent works on it, for a longer text when the organization has no room, and
 * for the task of a sub-agent, whose position alone can be changed; `not_found` for an unknown agent or task that it is
 * to depend on.
 */
export async function updateTask(
  database: Database,
  owner: TaskActor,
  ref: TaskRef,
  changes: TaskChanges,
  limits: TaskLimits,
): Promise<Task> {
  const { id } = ref;
  await withOrgTransaction(database, owner.orgId, async (em) => {
    const task = await lockTask(em, owner, ref);
    const { position: wanted, isForeign, ...fields } = allowAssigned(owner.policy, changes, task.assignedAgentId);
    const changed = differing(task, fields);
    if (setsAny(changed)) {
      if (isLonger(task, changed)) await requireRoomForWork(em, owner.orgId, limits);
      await change(em, owner, task, { ...changed, isForeign });
    }
    if (wanted !== undefined && wanted !== task.position)
      await storePosition(em, id, await takePosition(em, task, wanted));
    notifyChange(em, owner, task);
  });
  return goOn(database, owner, id, limits);
}

/** Makes the agent of a task that has ended try it again; `conflict` for one that has not, and without an agent. */
export async function retryTask(database: Database, owner: Membership, id: string, limits: TaskLimits): Promise<Task> {
  await withOrgTransaction(database, owner.orgId, async (em) => {
    const task = await lockTask(em, owner, { id });
    if (task.isDelegated) throw delegated();
    if (!isEnded(task.status)) throw new AppError('conflict', `The task has not ended: it is ${task.status}`);
    if (task.assignedAgentId === null) throw new AppError('conflict', 'The task has no agent; assign one');
    await storeChanges(em, task, { status: 'pending' });
    notifyChange(em, owner, task);
  });
  return goOn(database, owner, id, limits);
}

/**
 * Deletes the user's task; those that depend on it wait for it no longer, nor does the plan that it is a part of.
 * `conflict` while an agent works on it, and for the task of a sub-agent.
 */
export async function deleteTask(database: Database, owner: Membership, id: string): Promise<void> {
  const parentId = await withOrgTransaction(database, owner.orgId, async (em) => {
    const task = await lockTask(em, owner, { id });
    if (task.isDelegated) throw delegated();
    if (task.isAtWork) throw atWork();
    const freed = await em.execute<{ taskId: string }[]>(
      `update tasks k set due_at = now() from task_dependencies d
        where d.needs_id = ? and k.id = d.task_id and k.status = 'pending' and k.due_at is not null
        returning k.id as "taskId"`,
      [id],
    );
    afterCommit(em, { dueWork: tasksOf(owner.orgId, freed) });
    await em.execute('delete from tasks where id = ?', [id]);
    const { isShared } = task;
    notifyChange(em, owner, task, { removed: { taskId: id, ownerId: owner.userId, isShared } });
    return task.parentTaskId;
  });
  if (parentId === null) return;
  const freed = await database.tenant.query(owner.orgId, completePlanWithout(parentId));
  await database.follow([{ dueWork: tasksOf(owner.orgId, freed) }]);
}

async function change(
  em: EntityManager,
  owner: Membership,
  task: LockedTask,
  changes: Omit<TaskChanges, 'position'>,
): Promise<void> {
  checkChanges(task, changes);
  if (typeof changes.assignedAgentId === 'string') await requireAgent(em, changes.assignedAgentId);
  if (changes.dependsOn !== undefined) await setDependencies(em, owner, task.id, changes.dependsOn);
  await storeChanges(em, task, changes);
}

// Task changes by turns are not announced: board feeds poll for changes anyway.
function notifyChange(
  em: EntityManager,
  { orgId }: Membership,
  { id, chatId, projectId }: LockedTask,
  news: Omit<BoardNews, 'projectId'> = {},
): void {
  const action = news.removed === undefined ? 'changed' : 'deleted';
  const changed = [{ orgId, resource: 'tasks', id, action, chatId }] as const;
  afterCommit(em, { changed, boards: projectId === null ? [] : [{ projectId, ...news }] });
}

async function storePosition(em: EntityManager, id: string, position: string): Promise<void> {
  await em.execute('update tasks set position = ?, updated_at = now() where id = ?', [position, id]);
}

function isLonger(task: LockedTask, { title = task.title, description = task.description }: TaskChanges): boolean {
  return title.length + description.length > task.title.length + task.description.length;
}

type ChangedFields = Omit<TaskChanges, 'position' | 'isForeign'>;

/** Returns the fields that the task does not have already: a task may be sent back as it is, whoever works on it. */
function differing(task: LockedTask, { dependsOn, ...fields }: ChangedFields): ChangedFields {
  const wanted = { ...fields, dependsOn: dependsOn && [...new Set(dependsOn)].toSorted() };
  const names = Object.keys(wanted) as (keyof typeof wanted)[];
  return Object.fromEntries(
    names.filter((name) => !isDeepStrictEqual(wanted[name], task[name])).map((name) => [name, wanted[name]]),
  );
}

async function lockTask(em: EntityManager, { userId }: Membership, { id, chatId }: TaskRef): Promise<LockedTask> {
  const source = `from tasks k join chats c on c.id = k.chat_id where k.id = ? and ${ofUser('?')} and ${isOfChat('?')}`;
  const values = [id, userId, userId, chatId ?? null, chatId ?? null];
  // Its rows elsewhere are read after the wait for the lock.
  await em.execute(`select ${source} for update of k`, values);
  const [task] = await em.execute<LockedTask[]>(
    `select k.id, k.chat_id as "chatId", c.project_id as "projectId", not c.is_private as "isShared",
        k.status, k.title, k.description, k.priority, k.position, k.output,
        k.assigned_agent_id as "assignedAgentId",
        array(select d.needs_id from task_dependencies d where d.task_id = k.id order by d.needs_id) as "dependsOn",
        k.parent_task_id as "parentTaskId", k.call_id is not null as "isDelegated",
        exists (
          select from turns t where t.task_id = k.id and not t.is_report and t.status in ('queued', 'running')
        ) as "isAtWork"
      ${source}`,
    values,
  );
  if (task === undefined) throw notFound('Task');
  return task;
}

/** Locks the user's task until the transaction has ended; `conflict` for the task of a sub-agent. */
export async function lockOwnTask(em: EntityManager, owner: Membership, id: string): Promise<void> {
  const { isDelegated } = await lockTask(em, owner, { id });
  if (isDelegated) throw delegated();
}

function checkChanges(task: LockedTask, { status, assignedAgentId, dependsOn, output }: TaskChanges): void {
  if (task.isDelegated) throw delegated();
  if (task.isAtWork && setsAny({ status, assignedAgentId, dependsOn, output })) throw atWork();
  if (status === undefined || statusesAfter(task.status).includes(status)) return;
  const allowed = statusesAfter(task.status).join(', ');
  throw new AppError('conflict', `A task that is ${task.status} cannot become ${status}; it can become: ${allowed}`);
}

// Two changes that would close a circle together wait for each other.
async function setDependencies(
  em: EntityManager,
  { orgId, userId }: Membership,
  id: string,
  dependsOn: readonly string[],
): Promise<void> {
  const wanted = uuidArray(dependsOn);
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`dependencies of tasks ${userId}`]);
  const [found] = await em.execute<{ known: number; isCircle: boolean }[]>(
    `with recursive needed (id) as (
        select k.id from tasks k where k.id = any(?::uuid[])
        union select d.needs_id from needed join task_dependencies d on d.task_id = needed.id
      )
      select (select count(*)::int from tasks k where k.id = any(?::uuid[]) and ${ofUser('?')}) as known,
        exists (select from needed where id = ?) as "isCircle"`,
    [wanted, wanted, userId, userId, id],
  );
  if (found?.known !== dependsOn.length) throw notFound('Task');
  if (found.isCircle)
    throw new AppError('conflict', 'The task would wait for itself: one that it is to depend on depends on it');
  await em.execute('delete from task_dependencies where task_id = ?', [id]);
  await em.execute(
    'insert into task_dependencies (task_id, needs_id, org_id) select ?, n.id, ? from unnest(?::uuid[]) n (id)',
    [id, orgId, wanted],
  );
}

async function storeChanges(em: EntityManager, task: LockedTask, changes: TaskChanges): Promise<void> {
  const { title = null, description = null, priority = null, output = task.output, assignedAgentId } = changes;
  const isForeign = changes.isForeign === true && (title ?? description ?? changes.output ?? null) !== null;
  const status = changes.status ?? task.status;
  const agentId = assignedAgentId === undefined ? task.assignedAgentId : assignedAgentId;
  const isWaiting = status === 'pending' && agentId !== null;
  await em.execute(
    `update tasks k set title = coalesce(?, title), description = coalesce(?, description), priority = coalesce(?, priority),
        output = ?, is_foreign = is_foreign or ?, status = ?, assigned_agent_id = ?,
        due_at = case when ?::boolean then ${dueAfter('1 second')} end,
        started_at = case when ?::boolean then coalesce(started_at, now()) else started_at end,
        ended_at = case when ?::boolean then coalesce(ended_at, now()) end,
        updated_at = now()
      where id = ?`,
    [
      title,
      description,
      priority,
      output,
      isForeign,
      status,
      agentId,
      isWaiting,
      status === 'in_progress',
      isEnded(status),
      task.id,
    ],
  );
}

// Begins the task, makes those due that wait for it, and completes the plan that it was the last open part of: the
// change is stored by now, so a waiting task is seen, or sees it.
async function goOn(database: Database, owner: Membership, id: string, limits: TaskLimits): Promise<Task> {
  const [begin, announce] = attemptStatements(id, limits);
  const statements = [begin, announce, freeDependentsOf(id), completePlansOf(id), readOwnTasks(owner, [id])] as const;
  const [begun, , freed, freedByPlans, [task]] = await database.tenant.series(owner.orgId, statements);
  const own = begun.length > 0 || (task !== undefined && isDue(task)) ? [{ taskId: id }] : [];
  await database.follow([{ dueWork: tasksOf(owner.orgId, [...own, ...freed, ...freedByPlans]) }]);
  if (task === undefined) throw notFound('Task');
  return task;
}

const delegated = () =>
  new AppError(
    'conflict',
    'The task belongs to a sub-agent: it goes with the turn that delegated it, which can be interrupted',
  );

const atWork = () => new AppError('conflict', 'An agent is working on the task; interrupt it first');

/** Asks the agent that works on a task of the user to stop; `conflict` when none does. */
export async function interruptTask(database: Database, owner: Membership, { id, chatId }: TaskRef): Promise<Task> {
  const { orgId, userId } = owner;
  const [found] = await database.tenant.query<{ workId: string | null }>(orgId, {
    name: 'work-on-task',
    text: `select (
          select t.chat_id from turns t where t.chat_id = k.sub_chat_id and t.status in ('queued', 'running') limit 1
        ) as "workId"
      from tasks k where k.id = $1 and ${ofUser('$2')} and ${isOfChat('$3')}`,
    values: [id, userId, chatId ?? null],
  });
  if (found === undefined) throw notFound('Task');
  if (found.workId === null) throw new AppError('conflict', 'No agent is working on the task');
  await requestInterrupt(database, owner, found.workId);
  const [task] = await database.tenant.query(orgId, readOwnTasks(owner, [id]));
  if (task === undefined) throw notFound('Task');
  return task;
}
