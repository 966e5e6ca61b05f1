import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import type { RunReport } from '../../domain/destinations.ts';
import { type Membership, orgLimitReached, type OrgLimits } from '../../domain/orgs.ts';
import { allowAssigned } from '../../domain/permissions/restrict.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { Priority } from '../../domain/priorities.ts';
import { hasRoomForMessages } from '../chats/usage.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import type { Statement } from '../core/sql-pool.ts';
import { setRunReports } from '../destinations/run-reports.ts';
import { totalOfOwner } from '../orgs/require-room.ts';
import { attemptStatements } from '../turns/tasks/begin-attempt.ts';
import { firstPosition, tasksOf } from '../turns/tasks/complete-plans.ts';
import { isDue, ofUser, readOwnTasks, type Task, type TaskActor } from './tasks.ts';
import { v7 as uuidv7 } from 'uuid';
import { getIssue } from '../issues/read-issues.ts';

/** The organization's limits on tasks, and on messages: a task is one to its agent. */
export type TaskLimits = Pick<OrgLimits, 'messageBytes' | 'workBytes'>;

/** What is to be done, by whom, and after which tasks. */
export interface TaskFields {
  readonly title: string;
  readonly description: string;
  readonly assignedAgentId: string | null;
  readonly priority: Priority;
  /** The tasks that must be completed before. */
  readonly dependsOn: readonly string[];
}

/** A task that is added under an id. */
interface AddedTask extends TaskFields {
  readonly id: string;
  /** The task of the same chat that it is a part of. */
  readonly parentTaskId: string | null;
}

/** Tasks that are added to a chat together: all or none. */
export interface AddedTasks {
  readonly chatId: string;
  /** Each is a part of the first one, or of a stored task as the first one is. */
  readonly tasks: readonly [AddedTask, ...AddedTask[]];
  /** The issue that they are made from, which gets their results as comments. */
  readonly issueId?: string | null;
  /** Whether their text may repeat what was read from outside. */
  readonly isForeign?: boolean;
  /** The parts that a plan may have to which they are added as its steps. */
  readonly maxParts?: number;
  readonly limits: TaskLimits;
}

/** How deep tasks may be parts of others: an agent that works on one may add further ones. */
const MAX_DEPTH = 5;

/** More would make the lists and boards of a chat useless, and adding slow. */
export const MAX_TASKS_OF_CHAT = 5_000;

/**
 * Adds tasks to the user's chat, and has those begin that have an agent and wait for nothing; the same ids again add
 * nothing. One round trip, and one more for steps of a plan. Returns the first one. `not_found` for an unknown chat,
 * agent or issue, and for an unknown task that one depends on or is a part of; `conflict` in the chat of a sub-agent,
 * at a limit, and too deep below other tasks.
 */
export async function addTasks(database: Database, actor: TaskActor, added: AddedTasks): Promise<Task> {
  const { tasks, limits } = added;
  for (const task of tasks) allowAssigned(actor.policy, task);
  const values = [givenOf(actor, added)];
  const add = { name: 'add-tasks', text: insertTasks('$1'), values };
  const isOfPlan = added.maxParts !== undefined;
  const store = async () => {
    // The lock makes concurrent additions of steps count these, and keeps the plan from being deleted in the meantime.
    if (isOfPlan) await database.tenant.transaction(actor.orgId, [lockTask(tasks[0].parentTaskId), add]);
    return beginTasks(database, actor, tasks, limits, isOfPlan ? [] : [add]);
  };
  const why: Statement<Passed> = { name: 'refused-tasks', text: passedChecks('$1'), values };
  return storedOrRefused(added, store, async () => database.tenant.query(actor.orgId, why));
}

function lockTask(id: string | null): Statement {
  return { name: 'lock-task', text: 'select from tasks where id = $1 for no key update', values: [id] };
}

/** Adds a task in a transaction; its agent does not begin. Errors as for `addTasks`. */
export async function insertTask(em: EntityManager, owner: Membership, added: AddedTasks): Promise<void> {
  const values = [givenOf(owner, added)];
  const store = async () => (await em.execute<object[]>(insertTasks('?'), values))[0];
  await storedOrRefused(added, store, async () => em.execute<Passed[]>(passedChecks('?'), values));
}

// Once more when nothing speaks against it any more: what did has gone since.
async function storedOrRefused<T>(
  added: AddedTasks,
  store: () => Promise<T | undefined>,
  check: () => Promise<readonly Passed[]>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const stored = await store();
    if (stored !== undefined) return stored;
    const refusal = refusalIn(await check(), added);
    if (refusal !== undefined) throw refusal;
    if (tries === 2) throw new AppError('conflict', 'The chat has changed in the meantime; try again');
  }
}

/**
 * Begins the user's tasks that wait for nothing, once other statements have run. Returns the first task; undefined when
 * it is not stored.
 */
export async function beginTasks(
  database: Database,
  owner: Membership,
  tasks: readonly Pick<AddedTask, 'id' | 'assignedAgentId' | 'dependsOn'>[],
  limits: TaskLimits,
  before: readonly Statement[] = [],
): Promise<Task | undefined> {
  const ids = tasks.map(({ id }) => id);
  const attempts = tasks
    .filter(({ assignedAgentId, dependsOn }) => assignedAgentId !== null && !dependsOn.some((id) => ids.includes(id)))
    .flatMap(({ id }) => attemptStatements(id, limits));
  const results = await database.tenant.series(owner.orgId, [...before, ...attempts, readOwnTasks(owner, ids)]);
  const stored = (results.at(-1) ?? []) as Task[];
  const first = stored.find(({ id }) => id === ids[0]);
  if (first === undefined) return undefined;
  const due = stored
    .filter((task) => isDue(task) || task.status === 'in_progress')
    .map(({ id: taskId }) => ({ taskId }));
  const { orgId } = owner;
  const news = { orgId, resource: 'tasks', id: ids.length === 1 ? first.id : null, action: 'created' } as const;
  await database.follow([{ dueWork: tasksOf(orgId, due), changed: [{ ...news, chatId: first.chatId }] }]);
  return first;
}

// One value, so that the statement is the same in a transaction.
function givenOf({ orgId, userId }: Membership, { tasks, limits, ...target }: AddedTasks): string {
  const [{ id, parentTaskId }] = tasks;
  const rows = tasks.map(({ dependsOn, ...task }) => ({ ...task, dependsOn: [...new Set(dependsOn)] }));
  const levels = tasks.some((task) => task.parentTaskId === id) ? 2 : 1;
  const { messageBytes, workBytes } = limits;
  const given = {
    orgId,
    userId,
    isForeign: false,
    ...target,
    messageBytes,
    workBytes,
    parentTaskId,
    levels,
    tasks: rows,
  };
  return JSON.stringify(given);
}

const GIVEN = (json: string) => `given as (
    select * from jsonb_to_record(${json}::jsonb) as g ("orgId" uuid, "userId" uuid, "chatId" uuid, "parentTaskId" uuid,
      levels int, "maxParts" int, "issueId" uuid, "isForeign" boolean, "messageBytes" bigint, "workBytes" bigint,
      tasks jsonb)
  ),
  added as (
    select n.* from given g, jsonb_to_recordset(g.tasks) as n (id uuid, title text, description text,
      "assignedAgentId" uuid, priority text, "parentTaskId" uuid, "dependsOn" uuid[])
  )`;

/** Returns, in SQL, how many tasks there are from one up to the one that is a part of none. */
const depthOf = (id: string) => `(
    with recursive up (id, depth) as (
      select ${id}, 1
      union all select k.parent_task_id, depth + 1 from up join tasks k on k.id = up.id
        where k.parent_task_id is not null and depth < ${MAX_DEPTH}
    ) select max(depth) from up
  )`;

const countUpTo = (max: string, where: string) =>
  `(select count(*) from (select from tasks where ${where} limit ${max}) there)`;

/** The conditions for adding tasks, in SQL on `given g` and `added`, each with the error when it fails. */
const CHECKS: readonly (readonly [condition: string, refusal: (added: AddedTasks) => AppError])[] = [
  [
    'exists (select from chats c where c.id = g."chatId" and c.user_id = g."userId" and c.deleted_at is null)',
    () => notFound('Chat'),
  ],
  [
    'not exists (select from chats c where c.id = g."chatId" and c.parent_chat_id is not null)',
    () => new AppError('conflict', 'This chat belongs to an agent; add the task to the chat that it works for'),
  ],
  [
    `not exists (select from added n where n."assignedAgentId" is not null
      and not exists (select from agents a where a.id = n."assignedAgentId" and a.deleted_at is null))`,
    () => notFound('Agent'),
  ],
  [
    `${countUpTo(String(MAX_TASKS_OF_CHAT), 'chat_id = g."chatId"')} + jsonb_array_length(g.tasks) <= ${MAX_TASKS_OF_CHAT}`,
    () =>
      new AppError(
        'conflict',
        `The chat would have more than ${MAX_TASKS_OF_CHAT} tasks; delete some, or use another chat`,
      ),
  ],
  [
    `g."issueId" is null or exists (
      select from issues i join projects p on p.id = i.project_id where i.id = g."issueId" and p.deleted_at is null)`,
    () => notFound('Issue'),
  ],
  [
    'g."parentTaskId" is null or exists (select from tasks k where k.id = g."parentTaskId" and k.chat_id = g."chatId")',
    () => notFound('Task'),
  ],
  [
    `g."parentTaskId" is null or ${depthOf('g."parentTaskId"')} + g.levels <= ${MAX_DEPTH}`,
    () => new AppError('conflict', `Tasks are parts of others up to ${MAX_DEPTH} deep`),
  ],
  [
    'g."maxParts" is null or not exists (select from tasks k where k.id = g."parentTaskId" and k.call_id is not null)',
    () => new AppError('conflict', 'The task belongs to a sub-agent; steps cannot be added to it'),
  ],
  [
    `g."maxParts" is null
      or ${countUpTo('g."maxParts"', 'parent_task_id = g."parentTaskId"')} + jsonb_array_length(g.tasks) <= g."maxParts"`,
    ({ maxParts }) => new AppError('conflict', `The plan would have more than ${maxParts} steps`),
  ],
  [hasRoomForMessages('g."orgId"', 'g."messageBytes"'), ({ limits }) => orgLimitReached('messageBytes', limits)],
  [`${totalOfOwner('g."orgId"', 'work_bytes')} < g."workBytes"`, ({ limits }) => orgLimitReached('workBytes', limits)],
  [
    `not exists (select from added n, unnest(n."dependsOn") as needed (id) where needed.id not in (select id from added)
      and not exists (select from tasks k where k.id = needed.id and ${ofUser('g."userId"')}))`,
    () => notFound('Task'),
  ],
];

function insertTasks(json: string): string {
  return `with ${GIVEN(json)},
    task as (
      insert into tasks (id, org_id, chat_id, created_by, title, description, assigned_agent_id, priority, issue_id,
        parent_task_id, is_foreign, position, due_at)
      select n.id, g."orgId", g."chatId", g."userId", n.title, n.description, n."assignedAgentId", n.priority, g."issueId",
        n."parentTaskId", g."isForeign", ${firstPosition('n.id')}, case when n."assignedAgentId" is null then null
        when exists (
          select from unnest(n."dependsOn") as needed (id) left join tasks o on o.id = needed.id
          where o.status is distinct from 'completed'
        ) then now() + interval '1 hour' else now() + interval '1 second' end
      from given g, added n where ${CHECKS.map(([condition]) => `(${condition})`).join(' and ')}
      on conflict (id) do nothing returning id, org_id
    ),
    dependency as (
      insert into task_dependencies (task_id, needs_id, org_id)
      select task.id, needed.id, task.org_id from task join added n on n.id = task.id, unnest(n."dependsOn") as needed (id)
    )
    select id from task`;
}

/** Which of the checks passed, in their order. */
interface Passed {
  readonly passed: readonly boolean[];
}

function passedChecks(json: string): string {
  const conditions = CHECKS.map(([condition]) => `(${condition})`).join(', ');
  return `with ${GIVEN(json)} select array[${conditions}] as passed from given g`;
}

function refusalIn([row]: readonly Passed[], added: AddedTasks): AppError | undefined {
  const [, refusal] = CHECKS[row?.passed.indexOf(false) ?? -1] ?? [];
  return refusal?.(added);
}

/** A task as its creator describes it. */
interface NewTask extends TaskFields, Omit<AddedTasks, 'tasks' | 'maxParts'> {
  /** The task of the same chat that it is a part of. */
  readonly parentTaskId?: string | null;
  /** Where the attempts of its agent are reported. */
  readonly deliveries?: readonly RunReport[];
}

/**
 * Adds a task as `addTasks` does, under the caller's id or a new one. One for an issue needs the right to change
 * issues: its result becomes a comment.
 */
export async function createTask(
  database: Database,
  actor: TaskActor,
  {
    title,
    description,
    assignedAgentId,
    priority,
    dependsOn,
    parentTaskId = null,
    deliveries = [],
    ...target
  }: NewTask,
  id: string = uuidv7(),
): Promise<Task> {
  await requireIssueRights(database, actor, target.issueId ?? null);
  const task = { id, title, description, assignedAgentId, priority, dependsOn, parentTaskId };
  const added: AddedTasks = { ...target, tasks: [task] };
  if (deliveries.length === 0) return addTasks(database, actor, added);
  allowAssigned(actor.policy, task);
  const { orgId, userId } = actor;
  await withOrgTransaction(database, orgId, async (em) => {
    await insertTask(em, actor, added);
    await setRunReports(em, { orgId, userId, kind: 'task', id }, deliveries);
  });
  const begun = await beginTasks(database, actor, added.tasks, target.limits);
  if (begun === undefined) throw notFound('Task');
  return begun;
}

async function requireIssueRights(
  database: Database,
  { orgId, policy }: TaskActor,
  issueId: string | null,
): Promise<void> {
  if (issueId === null || policyAllows(policy, 'issues.manage')) return;
  if (!policyAllows(policy, 'issues.view')) throw notFound('Issue');
  await getIssue(database, orgId, issueId);
  throw new AppError('forbidden', 'A task for an issue also needs the permission issues.manage');
}
