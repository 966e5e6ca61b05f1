import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { TASK_PRIORITIES, TASK_STATUSES } from '../../domain/tasks/index.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageParams, timestamp } from '../http/fields.ts';
import { idFilter, idOf } from '../resources/id-fields.ts';

const status = z.enum(TASK_STATUSES).meta({ id: 'TaskStatus' });

const fields = {
  title: nameText(500),
  description: text(20_000),
  assigned_agent_id: idOf('agents').nullable().meta({
    description: 'The agent that works on it; without one the task is for a person',
  }),
  priority: z.enum(TASK_PRIORITIES).meta({ id: 'Priority' }),
  depends_on: z.array(idOf('tasks')).max(50).meta({
    description: 'Tasks of yours that must be completed before its agent begins; it is told their results',
  }),
};

export const newTaskSchema = z
  .strictObject({
    chat_id: idOf('chats').meta({ description: 'Your chat that the task belongs to' }),
    title: fields.title,
    description: fields.description.default(''),
    assigned_agent_id: fields.assigned_agent_id.default(null),
    priority: fields.priority.default('medium'),
    depends_on: fields.depends_on.default([]),
  })
  .meta({
    id: 'TaskCreate',
    examples: [{ chat_id: EXAMPLE_ID, title: 'Collect the figures', assigned_agent_id: EXAMPLE_ID, priority: 'high' }],
  });

export const taskChangesSchema = z
  .strictObject({ ...fields, status })
  .partial()
  .meta({ id: 'TaskUpdate', examples: [{ status: 'completed' }] });

export const tasksQuery = z.strictObject({
  chat_id: idFilter('chats').optional().meta({ description: 'Only the tasks of this chat' }),
  status: status.optional().meta({ description: 'Only the tasks in this state' }),
  ...pageParams,
});

export const taskSchema = z
  .object({
    id: z.uuid(),
    chat_id: z.uuid(),
    title: z.string(),
    description: z.string(),
    assigned_agent_id: z.uuid().nullable(),
    priority: fields.priority,
    status,
    depends_on: z.array(z.uuid()),
    waits_for: z.array(z.uuid()).meta({ description: 'Those of `depends_on` that are not completed' }),
    output: z.string().nullable().meta({ description: 'What the last attempt answered; null before it has ended' }),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed, in readable words' }),
    attempts: z
      .int()
      .meta({ description: 'How often its agent has begun it; each attempt is a turn in `sub_chat_id`' }),
    sub_chat_id: z.uuid().nullable().meta({ description: 'The chat in which the agent works on it' }),
    parent_turn_id: z.uuid().nullable().meta({ description: 'The turn that delegated it to a sub-agent' }),
    created_by: z.uuid().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    started_at: timestamp.nullable(),
    ended_at: timestamp.nullable(),
  })
  .meta({
    id: 'Task',
    examples: [
      {
        id: EXAMPLE_ID,
        chat_id: EXAMPLE_ID,
        title: 'Collect the figures',
        description: '',
        assigned_agent_id: EXAMPLE_ID,
        priority: 'high',
        status: 'completed',
        depends_on: [],
        waits_for: [],
        output: 'Sales rose by 4 %.',
        error: null,
        attempts: 1,
        sub_chat_id: EXAMPLE_ID,
        parent_turn_id: null,
        created_by: EXAMPLE_ID,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
        started_at: EXAMPLE_TIME,
        ended_at: EXAMPLE_TIME,
      },
    ],
  });

const boardTaskSchema = taskSchema
  .pick({
    id: true,
    chat_id: true,
    title: true,
    assigned_agent_id: true,
    priority: true,
    status: true,
    attempts: true,
    created_at: true,
    updated_at: true,
  })
  .meta({ id: 'BoardTask' });

const boardColumnSchema = z
  .object({
    status,
    tasks: boardTaskSchema.array().meta({ description: 'Oldest first; of more than 1,000 the newest' }),
    total: z.int(),
  })
  .meta({ id: 'BoardColumn' });

export const boardQuery = z.strictObject({ project_id: idOf('projects') });

export const boardSchema = z
  .object({ project_id: z.uuid(), columns: boardColumnSchema.array() })
  .meta({ id: 'Board', description: 'The tasks of a project by status, in the order of the statuses' });
