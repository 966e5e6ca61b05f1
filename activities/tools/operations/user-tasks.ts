import type { Database } from '../../../db/core/index.ts';
import {
  addSteps,
  createPlan,
  createTask,
  findParentTask,
  findWorkOn,
  getTask,
  listTasks,
  MAX_STEPS_OF_PLAN,
  type PlanStep,
  requireTaskOfChat,
  type Task,
  updateTask,
} from '../../../db/tasks/index.ts';
import { requestInterrupt } from '../../../db/turns/index.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import type { OrgLimits } from '../../../domain/orgs/index.ts';
import { hideAgents, type Policy } from '../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../core/retry-while-database-unavailable.ts';
import type { ShownPlan, ToolSteps, UserTasks } from '../context.ts';
import { findAgents } from './find-agents.ts';
import { inToolTerms } from './in-tool-terms.ts';

/** Who a call works for, and in which chat. */
interface TaskScope {
  readonly orgId: string;
  readonly userId: string;
  /** The rights of the user now; null when they are no longer a member. */
  readonly policy: Policy | null;
  /** The user's chat that the agent works for, and the agent's own: the same one, or one below it. */
  readonly chatId: string;
  readonly belowId: string;
}

interface TaskDeps {
  readonly database: Database;
  readonly orgLimits: OrgLimits;
}

/** Returns the tasks of a chat that a tool sees and changes for a user, until the signal aborts. */
export function userTasks({ database, orgLimits: limits }: TaskDeps, scope: TaskScope, signal: AbortSignal): UserTasks {
  const { orgId, userId, policy, chatId, belowId } = scope;
  const owner = { orgId, userId };
  const reader = { ...owner, seesShared: false };
  const run = async <T>(work: () => Promise<T>) => inToolTerms(() => retryWhileDatabaseUnavailable(signal, work));
  const shown = <T extends Task>(task: T) => hideAgents(policy, task);
  const read = async (id: string) => shown(await getTask(database, reader, id));
  const parentOf = async () => (await findParentTask(database, orgId, { chatId, belowId })) ?? null;
  const stepsFor = async (steps: ToolSteps): Promise<PlanStep[]> => {
    const agents = await findAgents(database, scope, steps);
    return steps.map(({ agent, ...step }) => ({ ...step, assignedAgentId: agents(agent) }));
  };
  const showPlan = async (id: string): Promise<ShownPlan> => {
    const plan = await read(id);
    const page = { parentTaskId: id, limit: MAX_STEPS_OF_PLAN };
    const { items: steps, total } = await listTasks(database, reader, page);
    return { plan, steps: steps.map(shown), total };
  };
  const runOn = async <T>(id: string, work: () => Promise<T>) =>
    run(async () => {
      await requireTaskOfChat(database, owner, { id, chatId });
      return work();
    });
  return {
    list: async (status, limit) =>
      run(async () => {
        const listed = await listTasks(database, reader, { chatId, status, limit });
        return { ...listed, items: listed.items.map(shown) };
      }),
    get: async (id) => runOn(id, async () => read(id)),
    create: async (id, { agent, ...task }) =>
      run(async () => {
        const agents = await findAgents(database, scope, [{ agent }]);
        const place = { chatId, parentTaskId: await parentOf(), limits };
        return shown(await createTask(database, owner, { ...task, ...place, assignedAgentId: agents(agent) }, id));
      }),
    update: async (id, changes) =>
      runOn(id, async () => shown(await updateTask(database, owner, id, changes, { limits }))),
    interrupt: async (id) =>
      runOn(id, async () => {
        const workId = await findWorkOn(database, owner, id);
        if (workId === undefined) throw new AppError('conflict', 'No agent is working on the task');
        await requestInterrupt(database, owner, workId);
        return read(id);
      }),
    getPlan: async (id) => runOn(id, async () => showPlan(id)),
    createPlan: async (id, { steps, ...plan }) =>
      run(async () => {
        const place = { chatId, parentTaskId: await parentOf(), limits };
        await createPlan(database, owner, id, { ...plan, ...place, steps: await stepsFor(steps) });
        return showPlan(id);
      }),
    addSteps: async (key, { planId, steps, isForeign }) =>
      run(async () => {
        await addSteps(database, owner, key, { planId, chatId, isForeign, limits, steps: await stepsFor(steps) });
        return showPlan(planId);
      }),
  };
}
