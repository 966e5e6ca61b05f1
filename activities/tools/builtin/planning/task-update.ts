import { z } from 'zod';
import { TASK_STATUSES, taskText } from '../../../../domain/tasks.ts';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolOutput } from '../../tool.ts';
import { recordId } from '../parameters.ts';
import { presentShort, presentTask } from './task-fields.ts';

const MAX_LISTED = 100;

const parameters = z.strictObject({
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

type Arguments = z.output<typeof parameters>;

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
  parameters,
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
  get: async (args, { tasks }) => tell(await tasks.get(need(args))),
  update: async (args, { tasks, hasForeignText: isForeign }) => {
    const { status, result: output } = args;
    if (status === undefined && output === undefined)
      throw new ToolFailure('invalid_input', 'The action update requires status or result');
    return tell(await tasks.update(need(args), { status, output, isForeign }));
  },
  interrupt: async (args, { tasks }) => tell(await tasks.interrupt(need(args))),
};

function need({ action, task_id: taskId }: Arguments): string {
  if (taskId !== undefined) return taskId;
  throw new ToolFailure('invalid_input', `The action ${action} requires task_id`);
}

function tell(task: Awaited<ReturnType<ToolContext['tasks']['get']>>): ToolOutput {
  return { value: presentTask(task), isForeign: task.isForeign };
}
