import { z } from 'zod';
import { DEFAULT_PRIORITY } from '../../../../domain/priorities.ts';
import { defineTool } from '../../define-tool.ts';
import { recordId } from '../parameters.ts';
import { presentTask, taskFields } from './task-fields.ts';

const parameters = z.strictObject({
  ...taskFields,
  depends_on: z
    .array(recordId)
    .max(50)
    .optional()
    .describe('Ids of tasks that must be completed before its agent begins; it is told their results.'),
});

/** Adds a task to the chat, with the rights of the turn's user. A repeated call adds nothing. */
export const taskCreate = defineTool({
  key: 'task_create',
  name: 'New task',
  description:
    'Adds a task to this chat, for a person or for an agent. An agent works on it on its own, without anybody waiting: its result is told in the chat when it has ended. To wait for a result in this turn, delegate instead.',
  category: 'planning',
  onlyInChats: true,
  parameters,
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
