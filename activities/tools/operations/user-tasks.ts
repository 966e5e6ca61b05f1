import type { Database } from '../../../db/core/database.ts';
import type { Listed } from '../../../db/core/page.ts';
import { addSteps, createPlan, hasAdded, MAX_STEPS_OF_PLAN, type PlanStep } from '../../../db/tasks/plan.ts';
import { createTask } from '../../../db/tasks/add-tasks.ts';
import { findParentTask, getTask, listTasks, type Task, type TaskActor } from '../../../db/tasks/tasks.ts';
import { interruptTask, type TaskChanges, updateTask } from '../../../db/tasks/change-task.ts';
import type { Priority } from '../../../domain/priorities.ts';
import type { TaskStatus } from '../../../domain/tasks.ts';
import { allowedIds, hideAgents } from '../../../domain/permissions/restrict.ts';
import { policyAllows } from '../../../domain/permissions/policy.ts';
import { auditCall, type CallBelowChat, findAgents, runOperation, memberOf, type RecordDeps } from './agent-call.ts';
import { listProjectAgents } from '../../../db/projects/project-agents.ts';
import { AppError } from '../../../domain/core/app-error.ts';

/** A task as a tool adds it; `agent` is the name or the id of the agent that is to work on it. */
interface ToolTask {
  readonly title: string;
  readonly description: string;
  readonly agent: string | undefined;
  readonly priority: Priority;
}

/** A plan as an agent writes it. */
interface ToolPlan {
  readonly goal: string;
  readonly steps: ToolSteps;
  readonly isForeign: boolean;
}

/** A plan with its steps. */
export interface ShownPlan {
  readonly plan: Task;
  /** The first ones, as many as a plan may be given. */
  readonly steps: readonly Task[];
  /** How many parts the plan has. */
  readonly total: number;
}

/** Steps of a plan as a tool adds them; `dependsOn` contains indexes in the list. */
export type ToolSteps = readonly (ToolTask & Pick<PlanStep, 'dependsOn'>)[];

/**
 * The tasks of the chat that a call works for and of its sub-agents' chats, by the operations of the routes; those of
 * other chats do not exist here. Throws `ToolFailure` with a message for the model.
 */
export interface UserTasks {
  /** Returns the tasks of the chat, oldest first, in one state if wanted. */
  list(status: TaskStatus | undefined, limit: number): Promise<Listed<Task>>;
  get(id: string): Promise<Task>;
  /** Adds a task under an id; the same id again adds nothing and returns the stored one. */
  create(
    id: string,
    task: ToolTask & { readonly dependsOn: readonly string[]; readonly isForeign: boolean },
  ): Promise<Task>;
  /** Changes the given fields only. */
  update(
    id: string,
    changes: Pick<TaskChanges, 'title' | 'description' | 'status' | 'output' | 'isForeign'>,
  ): Promise<Task>;
  /** Asks the agent that works on a task to stop. */
  interrupt(id: string): Promise<Task>;
  getPlan(id: string): Promise<ShownPlan>;
  /** Adds a plan under an id; the same id again adds nothing. */
  createPlan(id: string, plan: ToolPlan): Promise<ShownPlan>;
  /** Adds steps to a plan; the same key again adds nothing. */
  addSteps(key: string, added: { planId: string; steps: ToolSteps; isForeign: boolean }): Promise<ShownPlan>;
}

/** Whom the agent of a call may send messages to. Throws `ToolFailure` with a message for the model. */
export interface Broadcasts {
  /** Whether the agent answers its user itself: one that works for another agent sends no messages around. */
  readonly mayBroadcast: boolean;
  /** Returns the active agents of a project that the user may use, without the one that makes the call. */
  listProjectAgents(
    projectId: string,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /**
   * Sends a message as a plan with a step for each agent; `given` is what says it, for the audit log. A repeated call
   * sends nothing twice.
   */
  send(plan: ToolPlan, given: object): Promise<ShownPlan>;
}

/** Returns the tasks of a chat that a tool sees and changes for a user, until the signal aborts. */
export function userTasks(
  { database, orgLimits: limits }: RecordDeps,
  call: Omit<CallBelowChat, 'agentId' | 'callId'>,
  signal: AbortSignal,
): UserTasks {
  const { orgId, userId, policy, chatId, belowId } = call;
  const reader = { orgId, userId, seesShared: false };
  const run = async <T>(work: (actor: TaskActor) => Promise<T>) =>
    runOperation(signal, async () => work(memberOf(call)));
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
        const target = { chatId, parentTaskId: await parentOf(), limits };
        return createTask(database, actor, { ...task, ...target, assignedAgentId: agents(agent) }, id);
      });
      return run(async () => read(id));
    },
    update: async (id, changes) =>
      run(async (actor) => shown(await updateTask(database, actor, { id, chatId }, changes, limits))),
    interrupt: async (id) => run(async (actor) => shown(await interruptTask(database, actor, { id, chatId }))),
    getPlan: async (id) => run(async () => showPlan(id)),
    createPlan: async (id, { steps, ...plan }) => {
      await once(id, async (actor) => {
        const target = { chatId, parentTaskId: await parentOf(), limits };
        await createPlan(database, actor, id, { ...plan, ...target, steps: await stepsFor(steps) });
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

interface BroadcastDeps {
  readonly database: Database;
  /** The tasks of the chat that the message is sent in. */
  readonly tasks: Pick<UserTasks, 'createPlan'>;
}

/** Returns whom an agent may send messages to, until the signal aborts. */
export function broadcasts({ database, tasks }: BroadcastDeps, call: CallBelowChat, signal: AbortSignal) {
  const { orgId, userId, agentId, policy, chatId, belowId, callId } = call;
  const reader = { orgId, userId, seesShared: false };
  const onlyIds = allowedIds(policy, 'agentIds');
  return {
    // Two agents that broadcast every broadcast they receive would never end.
    mayBroadcast: chatId === belowId,
    listProjectAgents: async (projectId, limit) =>
      runOperation(signal, async () => {
        if (policy === null || !policyAllows(policy, 'projects.view'))
          throw new AppError(
            'forbidden',
            'The user you work for lacks the permission projects.view, which this requires',
          );
        const { items } = await listProjectAgents(database, reader, projectId, { onlyIds, limit });
        return items.filter(({ id, isActive }) => isActive && id !== agentId);
      }),
    send: async (plan, given) => {
      const sent = await tasks.createPlan(callId, plan);
      const relatedIds = [chatId, ...sent.steps.flatMap(({ assignedAgentId: id }) => id ?? [])];
      const change = { action: 'tasks.create', recordId: sent.plan.id, relatedIds, given } as const;
      await runOperation(signal, async () => auditCall(database, call, change));
      return sent;
    },
  } satisfies Broadcasts;
}
