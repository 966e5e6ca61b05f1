import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { type Membership, orgLimitReached } from '../../domain/orgs/index.ts';
import { DEFAULT_PRIORITY } from '../../domain/priorities/index.ts';
import type { Priority } from '../../domain/priorities/index.ts';
import { hasRoomForMessages } from '../chats/index.ts';
import { requireAgents } from '../agents/index.ts';
import { type Database, withOrgTransaction } from '../core/index.ts';
import { uuidArray } from '../records/index.ts';
import { attemptStatements, firstPosition, tasksOf } from '../turns/index.ts';
import { requireRoomForWork } from '../work-usage/index.ts';
import { depthOf, MAX_DEPTH, MAX_TASKS_OF_CHAT, type TaskLimits } from './create-task.ts';
import { ofUser } from './tasks.ts';

/** A step of a plan. */
export interface PlanStep {
  readonly title: string;
  readonly description: string;
  readonly assignedAgentId: string | null;
  readonly priority: Priority;
  /** The steps that must be completed before, by their place in the list. */
  readonly dependsOn: readonly number[];
}

/** The steps that a plan may have: all of them are shown at once. */
export const MAX_STEPS_OF_PLAN = 200;

/** Steps that are added together, and where. */
interface NewSteps {
  readonly steps: readonly PlanStep[];
  /** Whether their text may repeat what was read from outside. */
  readonly isForeign: boolean;
  readonly limits: TaskLimits;
}

/** A plan: a task for its goal, with a part for each step. */
interface NewPlan extends NewSteps {
  readonly chatId: string;
  readonly goal: string;
  /** The task of the same chat that the plan is a part of. */
  readonly parentTaskId: string | null;
}

/**
 * Adds a plan to the user's chat, under an id; the same id again adds nothing. Steps that have an agent and wait for
 * nothing begin. `not_found` for an unknown chat or agent, `conflict` for steps that wait for each other, and where
 * tasks cannot be added.
 */
export async function createPlan(database: Database, owner: Membership, id: string, plan: NewPlan): Promise<void> {
  requireOrder(plan.steps);
  const { chatId, goal, parentTaskId, isForeign } = plan;
  await withOrgTransaction(database, owner.orgId, async (em) => {
    const [chat] = await em.execute<object[]>(
      'select id from chats where id = ? and user_id = ? and deleted_at is null and parent_chat_id is null for share',
      [chatId, owner.userId],
    );
    if (chat === undefined) throw notFound('Chat');
    // The plan is one task, and its steps lie below it.
    if (parentTaskId !== null) await requireDepth(em, parentTaskId, 2);
    const added = await em.execute<object[]>(
      `insert into tasks (id, org_id, chat_id, created_by, title, priority, parent_task_id, is_foreign, position)
        values (?, ?, ?, ?, ?, ?, ?, ?, ${firstPosition('?')}) on conflict (id) do nothing returning id`,
      [id, owner.orgId, chatId, owner.userId, goal, DEFAULT_PRIORITY, parentTaskId, isForeign, id],
    );
    if (added.length > 0) await insertSteps(em, owner, { ...plan, planId: id, key: id });
  });
  await beginSteps(database, owner, id, plan);
}

/** Steps for a plan of a chat. */
interface MoreSteps extends NewSteps {
  readonly chatId: string;
  readonly planId: string;
}

/**
 * Adds steps to a plan in the user's chat, under ids made of a key; the same key again adds nothing, and is no error at
 * a limit. Errors as for `createPlan`; `conflict` also for the task of a sub-agent and for more steps than a plan may
 * have.
 */
export async function addSteps(database: Database, owner: Membership, key: string, added: MoreSteps): Promise<void> {
  requireOrder(added.steps);
  await withOrgTransaction(database, owner.orgId, async (em) => {
    // Two tries of one call wait for each other here.
    const plan = await lockPlan(em, owner, added);
    if (await hasSteps(em, key, added.steps)) return;
    if (plan.isDelegated)
      throw new AppError('conflict', 'The task belongs to a sub-agent; steps cannot be added to it');
    await requireDepth(em, added.planId, 1);
    await requireFewSteps(em, added);
    await insertSteps(em, owner, { ...added, key });
  });
  await beginSteps(database, owner, key, added);
}

async function lockPlan(
  em: EntityManager,
  { userId }: Membership,
  { planId, chatId }: MoreSteps,
): Promise<{ readonly isDelegated: boolean }> {
  const [plan] = await em.execute<{ isDelegated: boolean }[]>(
    `select k.call_id is not null or exists (
        select from chats c where c.id = k.chat_id and c.parent_chat_id is not null
      ) as "isDelegated"
      from tasks k where k.id = ? and k.chat_id = ? and ${ofUser('?')} for no key update`,
    [planId, chatId, userId, userId],
  );
  if (plan === undefined) throw notFound('Task');
  return plan;
}

async function hasSteps(em: EntityManager, key: string, steps: readonly PlanStep[]): Promise<boolean> {
  const ids = uuidArray(steps.map((_, at) => stepId(key, at)));
  return (await em.execute<object[]>('select id from tasks where id = any(?::uuid[]) limit 1', [ids])).length > 0;
}

async function requireFewSteps(em: EntityManager, { planId, steps }: MoreSteps): Promise<void> {
  const [row] = await em.execute<{ total: string }[]>(
    'select count(*) as total from (select from tasks where parent_task_id = ? limit ?) there',
    [planId, MAX_STEPS_OF_PLAN],
  );
  if (Number(row?.total ?? 0) + steps.length > MAX_STEPS_OF_PLAN)
    throw new AppError('conflict', `The plan would have more than ${MAX_STEPS_OF_PLAN} steps`);
}

interface StepsOfPlan extends MoreSteps {
  readonly key: string;
}

async function insertSteps(em: EntityManager, { orgId, userId }: Membership, plan: StepsOfPlan): Promise<void> {
  const { steps, chatId, planId, key, isForeign } = plan;
  await requireRoom(em, orgId, plan);
  await requireAgents(
    em,
    steps.flatMap(({ assignedAgentId }) => assignedAgentId ?? []),
  );
  const rows = steps.map(({ title, description, assignedAgentId, priority, dependsOn }, at) => ({
    id: stepId(key, at),
    title,
    description,
    agent: assignedAgentId,
    priority,
    waits: dependsOn.length > 0,
  }));
  const added = await em.execute<object[]>(
    `insert into tasks (id, org_id, chat_id, created_by, title, description, assigned_agent_id, priority, parent_task_id,
        is_foreign, position, due_at)
      select s.id, ?, ?, ?, s.title, s.description, s.agent, s.priority, ?, ?, ${firstPosition('s.id')},
        case when s.agent is not null then now() + case when s.waits then interval '1 hour' else interval '1 second' end end
      from jsonb_to_recordset(?::jsonb) as s (id uuid, title text, description text, agent uuid, priority text, waits boolean)
      on conflict (id) do nothing returning id`,
    [orgId, chatId, userId, planId, isForeign, JSON.stringify(rows)],
  );
  if (added.length === 0) return;
  const needs = steps.flatMap(({ dependsOn }, at) =>
    [...new Set(dependsOn)].map((other) => ({ id: stepId(key, at), other: stepId(key, other) })),
  );
  await em.execute(
    `insert into task_dependencies (task_id, needs_id, org_id)
      select n.id, n.other, ? from jsonb_to_recordset(?::jsonb) as n (id uuid, other uuid)`,
    [orgId, JSON.stringify(needs)],
  );
}

async function requireDepth(em: EntityManager, taskId: string, levelsBelow: number): Promise<void> {
  const [row] = await em.execute<{ depth: number }[]>(`select ${depthOf('?')} as depth`, [taskId]);
  if ((row?.depth ?? 0) + levelsBelow > MAX_DEPTH)
    throw new AppError('conflict', `Tasks are parts of others up to ${MAX_DEPTH} deep`);
}

async function requireRoom(
  em: EntityManager,
  orgId: string,
  { chatId, steps, limits }: Pick<StepsOfPlan, 'chatId' | 'steps' | 'limits'>,
): Promise<void> {
  const [row] = await em.execute<{ total: string; hasBytes: boolean }[]>(
    `select (select count(*) from (select from tasks where chat_id = ? limit ?) there) as total,
      ${hasRoomForMessages('?', '?')} as "hasBytes"`,
    [chatId, MAX_TASKS_OF_CHAT, orgId, limits.messageBytes],
  );
  if (row?.hasBytes === false) throw orgLimitReached('messageBytes', limits);
  await requireRoomForWork(em, orgId, limits);
  if (Number(row?.total ?? 0) + steps.length > MAX_TASKS_OF_CHAT)
    throw new AppError('conflict', `The chat would have more than ${MAX_TASKS_OF_CHAT} tasks; delete some`);
}

// Steps that nothing holds are taken away until none is left, or only such as wait for each other.
function requireOrder(steps: readonly PlanStep[]): void {
  let left = steps.map(({ dependsOn }, at) => ({ at, dependsOn }));
  while (left.length > 0) {
    const waiting = new Set(left.map(({ at }) => at));
    const held = left.filter(({ dependsOn }) => dependsOn.some((other) => waiting.has(other)));
    if (held.length === left.length) throw new AppError('conflict', 'Some steps wait for each other');
    left = held;
  }
}

async function beginSteps(
  database: Database,
  { orgId }: Membership,
  key: string,
  { steps, limits }: Pick<NewSteps, 'steps' | 'limits'>,
): Promise<void> {
  const ready = steps.flatMap(({ assignedAgentId, dependsOn }, at) =>
    assignedAgentId !== null && dependsOn.length === 0 ? stepId(key, at) : [],
  );
  if (ready.length === 0) return;
  await database.tenant.series(
    orgId,
    ready.flatMap((id) => attemptStatements(id, limits)),
  );
  const begun = ready.map((taskId) => ({ taskId }));
  await database.follow([{ dueWork: tasksOf(orgId, begun) }]);
}

const RANDOM_PART = 2n ** 48n;

/** Returns the id of a step: the key counted on in its random part, so that ids follow each other as the steps do. */
function stepId(key: string, at: number): string {
  const counted = (BigInt(`0x${key.slice(-12)}`) + BigInt(at + 1)) % RANDOM_PART;
  return key.slice(0, -12) + counted.toString(16).padStart(12, '0');
}
