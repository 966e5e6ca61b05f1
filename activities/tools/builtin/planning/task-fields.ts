import { z } from 'zod';
import { DEFAULT_PRIORITY, PRIORITIES } from '../../../../domain/priorities.ts';
import { taskText, taskTitle } from '../../../../domain/tasks.ts';
import type { Task } from '../../context.ts';

/** The characters of a description or an output in a list; `get` shows them whole. */
const MAX_EXCERPT = 200;

/** The parameters of a task. */
export const taskFields = {
  title: taskTitle().describe('One line that says what is to be done.'),
  description: taskText()
    .optional()
    .describe(
      'What is to be done and how one sees that it is done. An agent is told this and the title, and nothing else.',
    ),
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
export function presentTask(task: Task) {
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
