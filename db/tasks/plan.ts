import { AppError } from '../../domain/core/app-error.ts';
import { DEFAULT_PRIORITY } from '../../domain/priorities.ts';
import type { Database, TenantDatabase } from '../core/database.ts';
import { type AddedTasks, addTasks, type TaskFields } from './add-tasks.ts';
import type { TaskActor } from './tasks.ts';

/** A step of a plan. */
export interface PlanStep extends Omit<TaskFields, 'dependsOn'> {
  /** The steps that must be completed before, by their index in the list. */
  readonly dependsOn: readonly number[];
}

/** The steps that a plan may have: all of them are shown at once. */
export const MAX_STEPS_OF_PLAN = 200;

/** Steps that are added together, and where. */
interface NewSteps extends Omit<AddedTasks, 'tasks' | 'maxParts'> {
  readonly steps: readonly PlanStep[];
}

/** A plan: a task for its goal, with a part for each step. */
interface NewPlan extends NewSteps {
  readonly goal: string;
  /** The task of the same chat that the plan is a part of. */
  readonly parentTaskId: string | null;
}

/**
 * Adds a plan with its steps under an id, as `addTasks` does; the same id again adds nothing. `conflict` also for steps
 * that wait for each other.
 */
export async function createPlan(
  database: Database,
  actor: TaskActor,
  id: string,
  { goal, parentTaskId, steps, ...target }: NewPlan,
): Promise<void> {
  const plan = { id, title: goal, description: '', assignedAgentId: null, priority: DEFAULT_PRIORITY, parentTaskId };
  const tasks = [{ ...plan, dependsOn: [] }, ...stepsOf(steps, { key: id, planId: id })] as const;
  await addTasks(database, actor, { ...target, tasks });
}

/**
 * Adds steps to a plan, under ids made of a key; the same key again adds nothing, and is no error at a limit. Errors as
 * for `createPlan`; `conflict` also for the task of a sub-agent and for more steps than a plan may have.
 */
export async function addSteps(
  database: Database,
  actor: TaskActor,
  key: string,
  { planId, steps, ...target }: NewSteps & { readonly planId: string },
): Promise<void> {
  const [first, ...others] = stepsOf(steps, { key, planId });
  if (first === undefined) return;
  await addTasks(database, actor, { ...target, tasks: [first, ...others], maxParts: MAX_STEPS_OF_PLAN });
}

/** Returns whether a task, a plan or steps were added under a key. */
export async function hasAdded({ tenant }: TenantDatabase, orgId: string, key: string): Promise<boolean> {
  const found = await tenant.query(orgId, {
    name: 'has-added-tasks',
    text: 'select from tasks where id = any($1)',
    values: [[key, stepId(key, 0)]],
  });
  return found.length > 0;
}

function stepsOf(steps: readonly PlanStep[], { key, planId }: { readonly key: string; readonly planId: string }) {
  requireOrder(steps);
  return steps.map(({ dependsOn, ...step }, at) => ({
    ...step,
    id: stepId(key, at),
    parentTaskId: planId,
    dependsOn: dependsOn.map((other) => stepId(key, other)),
  }));
}

// Removes steps that wait for nothing until none is left, or only steps that wait for each other.
function requireOrder(steps: readonly PlanStep[]): void {
  let left = steps.map(({ dependsOn }, at) => ({ at, dependsOn }));
  while (left.length > 0) {
    const waiting = new Set(left.map(({ at }) => at));
    const blocked = left.filter(({ dependsOn }) => dependsOn.some((other) => waiting.has(other)));
    if (blocked.length === left.length) throw new AppError('conflict', 'Some steps wait for each other');
    left = blocked;
  }
}

const RANDOM_PART = 2n ** 48n;

/** Returns the id of a step: the key counted on in its random part, so that ids follow each other as the steps do. */
function stepId(key: string, at: number): string {
  const counted = (BigInt(`0x${key.slice(-12)}`) + BigInt(at + 1)) % RANDOM_PART;
  return key.slice(0, -12) + counted.toString(16).padStart(12, '0');
}
