import { z } from 'zod';
import { DEFAULT_PRIORITY, PRIORITIES } from '../../../../domain/priorities.ts';
import { TASK_STATUSES, taskText, taskTitle } from '../../../../domain/tasks.ts';
import type { Task, ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { recordId, requireArgument } from '../parameters.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolOutput } from '../../tool.ts';

/** The characters of a description or an output in a list; `get` shows them whole. */
const MAX_EXCERPT = 200;

/** The parameters of a task. */
export const taskFields = {
  title: taskTitle().describe('One line that says what is to be done.'),
  description: taskText()
    .optional()
    .describe('What has to be done and how to tell that it is done. An agent sees only this and the title.'),
  assigned_agent_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Name or id of the agent that works on it, on its own and at once. Leave it out for a task for a person.',
    ),
  priority: z.enum(PRIORITIES).optional().describe(`\`${DEFAULT_PRIORITY}\` when left out.`),
};

/** Returns a task as it is shown by itself. */
function presentTask(task: Task) {
  return {
    ...presentShort(task),
    description: task.description,
    depends_on: task.dependsOn,
    output: task.output,
  };
}

/** Returns a task as it is shown in a list. */
export function presentShort(task: Task) {
  return {
    id: task.id,
    title: task.title,
    description: excerpt(task.description),
    status: task.status,
    priority: task.priority,
    assigned_agent_id: task.assignedAgentId,
    waits_for: task.waitsFor,
    output: task.output === null ? null : excerpt(task.output),
    error: task.error,
    updated_at: task.updatedAt.toISOString(),
  };
}

function excerpt(text: string): string {
  return text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT).toWellFormed()}…` : text;
}

const createParameters = z.strictObject({
  ...taskFields,
  depends_on: z
    .array(recordId)
    .max(50)
    .optional()
    .describe('Ids of tasks that must be completed before its agent starts; the agent receives their results.'),
});

/** Adds a task to the chat, with the rights of the turn's user. A repeated call adds nothing. */
export const taskCreate = defineTool({
  key: 'task_create',
  name: 'New task',
  description:
    'Adds a task to this chat, for a person or for an agent. An agent works on it in the background: its result is posted in the chat when it has ended. To wait for a result in this turn, delegate instead.',
  category: 'planning',
  onlyInChats: true,
  parameters: createParameters,
  effect: 'keyed',
  timeoutSeconds: 30,
  inline: true,
  permission: 'tasks',
  label: ({ title }) => `New task: ${title.slice(0, 80)}`,
  run: async (args, { tasks, idempotencyKey, hasForeignText: isForeign }) => {
    const {
      title,
      description = '',
      assigned_agent_id: agent,
      priority = DEFAULT_PRIORITY,
      depends_on: dependsOn = [],
    } = args;
    const fields = { title, description, agent, priority, dependsOn, isForeign };
    // Under the id of the call, so that a repeated call adds nothing.
    const task = await tasks.create(idempotencyKey, fields);
    return { value: presentTask(task), isForeign: task.isForeign };
  },
});

const MAX_LISTED = 100;

const updateParameters = z.strictObject({
  action: z
    .enum(['list', 'get', 'update', 'interrupt'])
    .describe('What to do. All but `list` need task_id, `update` needs status or result.'),
  task_id: recordId.optional().describe('Id of the task.'),
  status: z
    .enum(TASK_STATUSES)
    .optional()
    .describe('In update: the new status. In list: only these. A task that has ended can only become `pending` again.'),
  result: taskText().optional().describe('In update: what has come out of it.'),
});

type Arguments = z.output<typeof updateParameters>;

/**
 * Lists, reads, changes and stops tasks of the chat, with the rights of the turn's user. Repeating a change has no
 * effect.
 */
export const taskUpdate = defineTool({
  key: 'task_update',
  name: 'Tasks',
  description:
    'Lists the tasks of this chat, reads one with its result, changes the status or result of one, or stops the agent that works on one.',
  category: 'planning',
  onlyInChats: true,
  parameters: updateParameters,
  effect: 'keyed',
  timeoutSeconds: 30,
  inline: true,
  permission: 'tasks',
  effectOf: ({ action }) => (action === 'list' || action === 'get' ? 'read' : 'keyed'),
  label: ({ action }) => `Tasks: ${action}`,
  run: async (args, context) => ACTIONS[args.action](args, context),
});

const ACTIONS: Readonly<Record<Arguments['action'], (args: Arguments, context: ToolContext) => Promise<ToolOutput>>> = {
  list: async ({ status }, { tasks }) => {
    const { items, total } = await tasks.list(status, MAX_LISTED);
    return { value: { tasks: items.map(presentShort), total }, isForeign: items.some(({ isForeign }) => isForeign) };
  },
  get: async (args, { tasks }) => outputOf(await tasks.get(requireArgument(args, 'task_id'))),
  update: async (args, { tasks, hasForeignText: isForeign }) => {
    const { status, result: output } = args;
    if (status === undefined && output === undefined)
      throw new ToolFailure('invalid_input', 'The action update requires status or result');
    return outputOf(await tasks.update(requireArgument(args, 'task_id'), { status, output, isForeign }));
  },
  interrupt: async (args, { tasks }) => outputOf(await tasks.interrupt(requireArgument(args, 'task_id'))),
};

function outputOf(task: Awaited<ReturnType<ToolContext['tasks']['get']>>): ToolOutput {
  return { value: presentTask(task), isForeign: task.isForeign };
}
