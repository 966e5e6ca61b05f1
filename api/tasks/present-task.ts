import type { z } from 'zod';
import type { Task } from '../../db/tasks/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { hideAgents } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { taskSchema } from './schema.ts';

/** Returns a task as the API shows it, without the agent that the caller may not use. */
export function presentTask({ policy }: Pick<OrgCaller, 'policy'>, task: Task): z.input<typeof taskSchema> {
  return present(taskSchema, hideAgents(policy, task));
}
