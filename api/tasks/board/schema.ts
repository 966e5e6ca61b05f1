import { z } from 'zod';
import type { BoardColumn, BoardTask } from '../../../db/tasks/index.ts';
import { present } from '../../../domain/core/record-names.ts';
import { hideAgents } from '../../../domain/permissions/index.ts';
import type { OrgCaller } from '../../context/api-context.ts';
import { idOf } from '../../resources/id-fields.ts';
import { status, taskSchema } from '../schema.ts';

/** Whose board it is: what they may see of agents. */
type BoardCaller = Pick<OrgCaller, 'policy'>;

interface Board {
  readonly projectId: string;
  readonly columns: readonly BoardColumn[];
}

/** Returns a board as the API shows it, without the agents that the caller may not use. */
export function presentBoard({ policy }: BoardCaller, { projectId, columns }: Board): z.input<typeof boardSchema> {
  const shown = columns.map((column) => ({ ...column, tasks: column.tasks.map((task) => hideAgents(policy, task)) }));
  return present(boardSchema, { projectId, columns: shown });
}

/** Returns one task of a board in the same way. */
export function presentBoardTask({ policy }: BoardCaller, task: BoardTask): z.input<typeof boardTaskSchema> {
  return present(boardTaskSchema, hideAgents(policy, task));
}

/** A task as a board shows it. */
export const boardTaskSchema = taskSchema
  .pick({
    id: true,
    chat_id: true,
    sub_chat_id: true,
    title: true,
    assigned_agent_id: true,
    priority: true,
    status: true,
    position: true,
    waits_for: true,
    attempts: true,
    issue_id: true,
    parent_task_id: true,
    created_at: true,
    updated_at: true,
  })
  .meta({ id: 'BoardTask' });

const boardColumnSchema = z
  .object({
    status,
    tasks: boardTaskSchema
      .array()
      .meta({ description: 'In their order; of more than 1,000, or of more than 700,000 bytes, the last' }),
    total: z.int(),
  })
  .meta({ id: 'BoardColumn' });

/** Which board. */
export const boardQuery = z.strictObject({ project_id: idOf('projects') });

/** The board of a project. */
export const boardSchema = z
  .object({ project_id: z.uuid(), columns: boardColumnSchema.array() })
  .meta({ id: 'Board', description: 'The tasks of a project by status, in the order of the statuses' });
