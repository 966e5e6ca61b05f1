import type { Random } from '../../test/support/random.ts';
import { type Reach, ScriptWriter } from '../messages/script-writer.ts';
import type { PlannedTurn } from '../messages/turn-plan.ts';

/** A task that a user adds for an agent, and what must come of it. */
export interface TaskPlan {
  readonly index: number;
  /** The place among the tenants of whoever adds it. */
  readonly tenant: number;
  /** No two are alike. */
  readonly title: string;
  readonly turn: PlannedTurn;
  /** Tasks of the same tenant that must be completed before. */
  readonly needs: readonly TaskPlan[];
}

interface Wanted {
  readonly tasks: number;
  readonly tenants: number;
  readonly reach: Reach;
}

/** How many tasks before it one may depend on, and how far back they lie. */
const MOST_NEEDS = 2;
const LOOK_BACK = 4;
/** Far above the effects of messages. */
const FIRST_TOKEN = 1_000_000_000;

/** Returns all tasks of a run, in the order in which they are added. Two of three depend on others; some delegate. */
export function planTasks(random: Random, { tasks, tenants, reach }: Wanted): TaskPlan[] {
  const writer = new ScriptWriter(random, reach, FIRST_TOKEN);
  const plans: TaskPlan[] = [];
  for (let index = 0; index < tasks; index += 1) {
    const tenant = index % tenants;
    const before = plans.filter((plan) => plan.tenant === tenant).slice(-LOOK_BACK);
    const needs = before.filter(() => random.chance(0.4)).slice(-MOST_NEEDS);
    const title = `task ${index}`;
    const turn = random.chance(0.7) ? writer.plain(`k${index}`) : writer.tree(`k${index}`, [2]);
    plans.push({ index, tenant, title, turn, needs });
  }
  return plans;
}
