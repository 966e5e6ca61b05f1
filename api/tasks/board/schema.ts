import { z } from 'zod';
import { idOf } from '../../resources/id-fields.ts';
import { status, taskSchema } from '../schema.ts';

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
