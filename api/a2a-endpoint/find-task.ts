import type { AgentCard } from '@a2a-js/sdk';
import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import { z } from 'zod';
import { type A2aTaskOwner, findA2aTask } from '../../db/a2a/tasks.ts';
import type { A2aTask } from '../../domain/a2a-tasks.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';

/** A member who asks for tasks of theirs with an agent. */
export interface TaskDeps {
  readonly context: ApiContext;
  readonly caller: OrgCaller;
  readonly agentId: string;
  readonly card: AgentCard;
  /** The version of the protocol that is spoken. */
  readonly version: string;
  /** The address that the request came from. */
  readonly ip: string;
  /** Aborts when nobody reads the answer any more. */
  readonly signal: AbortSignal;
}

/** The key of a task. */
export type TaskRef = Pick<A2aTask, 'id' | 'chatId'>;

/** Ids of this service are UUIDs: there is nothing with another one. */
export const idSchema = z.uuid().toLowerCase();

/** Returns whose tasks are asked for. */
export function ownerOf({ caller: { orgId, userId }, agentId }: Pick<TaskDeps, 'caller' | 'agentId'>): A2aTaskOwner {
  return { orgId, userId, agentId };
}

/** Returns a task of the member's with the agent; throws the error of the protocol when there is none. */
export async function findTask(deps: Pick<TaskDeps, 'context' | 'caller' | 'agentId'>, id: string): Promise<A2aTask> {
  const known = idSchema.safeParse(id);
  const task = known.success ? await findA2aTask(deps.context.database, ownerOf(deps), known.data) : undefined;
  if (task === undefined) throw new TaskNotFoundError('Task not found');
  return task;
}
