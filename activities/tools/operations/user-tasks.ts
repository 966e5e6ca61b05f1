import type { Database } from '../../../db/core/index.ts';
import {
  addSteps,
  createPlan,
  createTask,
  findParentTask,
  getTask,
  hasAdded,
  interruptTask,
  listTasks,
  MAX_STEPS_OF_PLAN,
  type Task,
  type TaskActor,
  updateTask,
} from '../../../db/tasks/index.ts';
import type { OrgLimits } from '../../../domain/orgs.ts';
import { hideAgents } from '../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../core/passing-error.ts';
import type { ShownPlan, ToolSteps, UserTasks } from '../context.ts';
import { findAgents } from './find-agents.ts';
import { inToolTerms } from './in-tool-terms.ts';
import { type CallBelowChat, memberOf } from './agent-call.ts';

interface TaskDeps {
  readonly database: Database;
  readonly orgLimits: OrgLimits;
}

/** Returns the tasks of a chat that a tool sees and changes for a user, until the signal aborts. */
export function userTasks(
  { database, orgLimits: limits }: TaskDeps,
  call: Omit<CallBelowChat, 'agentId' | 'callId'>,
  signal: AbortSignal,
): UserTasks {
  const { orgId, userId, policy, chatId, belowId } = call;
  const reader = { orgId, userId, seesShared: false };
  const run = async <T>(work: (actor: TaskActor) => Promise<T>) =>
    inToolTerms(() => retryWhileDatabaseUnavailable(signal, async () => work(memberOf(call))));
  const shown = <T extends Task>(task: T) => hideAgents(policy, task);
  const read = async (id: string) => shown(await getTask(database, reader, { id, chatId }));
  const parentOf = async () => (await findParentTask(database, orgId, { chatId, belowId })) ?? null;
  const showPlan = async (id: string): Promise<ShownPlan> => {
    const page = { parentTaskId: id, limit: MAX_STEPS_OF_PLAN };
    const { items, total } = await listTasks(database, reader, page);
    return { plan: await read(id), steps: items.map(shown), total };
  };
  const stepsFor = async (steps: ToolSteps) => {
    const agents = await findAgents(database, call, steps);
    return steps.map(({ agent, ...step }) => ({ ...step, assignedAgentId: agents(agent) }));
  };
  // Before agents are found: a repetition of what was stored is not refused for what has changed since.
  const once = async (key: string, add: (actor: TaskActor) => Promise<unknown>) =>
    run(async (actor) => {
      if (!(await hasAdded(database, orgId, key))) await add(actor);
    });
  return {
    list: async (status, limit) =>
      run(async () => {
        const listed = await listTasks(database, reader, { chatId, status, limit });
        return { ...listed, items: listed.items.map(shown) };
      }),
    get: async (id) => run(async () => read(id)),
    create: async (id, { agent, ...task }) => {
      await once(id, async (actor) => {
        const agents = await findAgents(database, call, [{ agent }]);
        const place = { chatId, parentTaskId: await parentOf(), limits };
        return createTask(database, actor, { ...task, ...place, assignedAgentId: agents(agent) }, id);
      });
      return run(async () => read(id));
    },
    update: async (id, changes) =>
      run(async (actor) => shown(await updateTask(database, actor, { id, chatId }, changes, limits))),
    interrupt: async (id) => run(async (actor) => shown(await interruptTask(database, actor, { id, chatId }))),
    getPlan: async (id) => run(async () => showPlan(id)),
    createPlan: async (id, { steps, ...plan }) => {
      await once(id, async (actor) => {
        const place = { chatId, parentTaskId: await parentOf(), limits };
        await createPlan(database, actor, id, { ...plan, ...place, steps: await stepsFor(steps) });
      });
      return run(async () => showPlan(id));
    },
    addSteps: async (key, { steps, ...plan }) => {
      await once(key, async (actor) =>
        addSteps(database, actor, key, { ...plan, chatId, limits, steps: await stepsFor(steps) }),
      );
      return run(async () => showPlan(plan.planId));
    },
  };
}
