import type { Listed } from '../../../db/core/index.ts';
import type { PlanStep, Task, TaskChanges } from '../../../db/tasks/index.ts';
import type { Priority } from '../../../domain/priorities.ts';
import type { TaskStatus } from '../../../domain/tasks.ts';

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

/** Steps of a plan as a tool adds them; `dependsOn` holds places in the list. */
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
