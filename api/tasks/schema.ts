import { z } from 'zod';
import { isPosition, MAX_POSITION_LENGTH } from '../../db/tasks/board.ts';
import type { Task } from '../../db/tasks/tasks.ts';
import { present } from '../../domain/core/record-names.ts';
import { hideAgents } from '../../domain/permissions/restrict.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { DEFAULT_PRIORITY } from '../../domain/priorities.ts';
import { text } from '../../domain/core/text.ts';
import { TASK_STATUSES, taskText, taskTitle } from '../../domain/tasks.ts';
import { runReportsField } from '../destinations/run-reports.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, pageParams, priority, timestamp } from '../http/fields.ts';
import { idFilter, idOf } from '../resources/id-fields.ts';

/** The state of a task. */
export const status = z.enum(TASK_STATUSES).meta({ id: 'TaskStatus' });

const fields = {
  title: taskTitle(),
  description: taskText(),
  assigned_agent_id: idOf('agents').nullable().meta({
    description: 'The agent that works on it; without one, the task is for a person',
  }),
  priority,
  depends_on: z.array(idOf('tasks')).max(50).meta({
    description: 'Tasks of yours that must be completed before its agent starts; the agent receives their results',
  }),
};

export const newTaskSchema = z
  .strictObject({
    chat_id: idOf('chats').meta({ description: 'The chat that the task belongs to, one of yours' }),
    title: fields.title,
    description: fields.description.default(''),
    assigned_agent_id: fields.assigned_agent_id.default(null),
    priority: priority.default(DEFAULT_PRIORITY),
    depends_on: fields.depends_on.default([]),
    issue_id: idOf('issues').nullable().default(null).meta({
      description: "The issue that it belongs to: the agent's answer becomes a comment on it",
    }),
    parent_task_id: idOf('tasks').nullable().default(null).meta({
      description: 'The parent task, in the same chat; up to 5 levels deep',
    }),
    deliveries: runReportsField.default([]),
  })
  .meta({
    id: 'TaskCreate',
    examples: [{ chat_id: EXAMPLE_ID, title: 'Collect the figures', assigned_agent_id: EXAMPLE_ID, priority: 'high' }],
  });

const position = text(MAX_POSITION_LENGTH)
  .refine(isPosition, 'must be a fractional index')
  .meta({
    description:
      'Its position on the board: a fractional index by which the tasks of each status are sorted, character by character. The npm package `fractional-indexing` generates one between two neighbours.',
    examples: ['a1V'],
  });

export const taskChangesSchema = z
  .strictObject({
    ...fields,
    output: taskText().nullable().meta({
      description: 'Its result; set by its agent if it has one. Null for none',
    }),
    status,
    position,
  })
  .partial()
  .meta({ id: 'TaskUpdate', examples: [{ status: 'completed' }] });

const filters = {
  status: status.optional().meta({ description: 'Only the tasks in this state' }),
  assigned_agent_id: idFilter('agents').optional().meta({ description: 'Only the tasks of this agent' }),
  q: text(200).min(1).optional().meta({ description: 'Only the tasks with this in their title; case-insensitive' }),
  ...pageParams,
};

export const projectTasksQuery = z.strictObject(filters);

export const tasksQuery = z.strictObject({
  chat_id: idFilter('chats').optional().meta({ description: 'Only the tasks of this chat' }),
  issue_id: idFilter('issues').optional().meta({ description: 'Only the tasks of this issue' }),
  parent_task_id: idFilter('tasks').optional().meta({ description: 'Only the subtasks of this task' }),
  ...filters,
});

export const taskSchema = z
  .object({
    id: z.uuid(),
    chat_id: z.uuid(),
    title: z.string(),
    description: z.string(),
    assigned_agent_id: z.uuid().nullable(),
    priority,
    status,
    position,
    depends_on: z.array(z.uuid()),
    waits_for: z.array(z.uuid()).meta({ description: 'The tasks of `depends_on` that are not completed' }),
    output: z.string().nullable().meta({ description: 'The answer of the last attempt; null until it has ended' }),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed, human-readable' }),
    attempts: z
      .int()
      .meta({ description: 'How many times its agent has started it; each attempt is a turn in `sub_chat_id`' }),
    sub_chat_id: z.uuid().nullable().meta({ description: 'The chat in which the agent works on it' }),
    parent_turn_id: z.uuid().nullable().meta({ description: 'The turn that delegated it to a sub-agent' }),
    issue_id: z.uuid().nullable().meta({ description: 'The issue that it belongs to' }),
    parent_task_id: z.uuid().nullable().meta({ description: 'The parent task' }),
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
        position: 'a1V',
        depends_on: [],
        waits_for: [],
        output: 'Sales rose by 4 %.',
        error: null,
        attempts: 1,
        sub_chat_id: EXAMPLE_ID,
        parent_turn_id: null,
        issue_id: null,
        parent_task_id: null,
        created_by: EXAMPLE_ID,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
        started_at: EXAMPLE_TIME,
        ended_at: EXAMPLE_TIME,
      },
    ],
  });

/** Returns a task as the API shows it, without the agent that the caller may not use. */
export function presentTask({ policy }: Pick<OrgCaller, 'policy'>, task: Task): z.input<typeof taskSchema> {
  return present(taskSchema, hideAgents(policy, task));
}
