import { findWorkOn, getTask } from '../../db/tasks/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { requestInterrupt } from '../../db/turns/index.ts';
import { readerOf } from '../chats/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { changeOwn } from './change-own.ts';
import { presentTask } from './present-task.ts';
import { taskSchema } from './schema.ts';

export const interruptTaskRoute = defineRoute({
  method: 'post',
  path: '/api/tasks/{task_id}/interrupt',
  resource: 'tasks',
  action: 'interrupt',
  access: 'tasks.manage',
  audit: false,
  tag: 'Tasks',
  operationId: 'interruptTask',
  summary: 'Stop the agent that works on a task',
  description:
    'Its sub-agents stop with it. The response confirms the request; shortly after, the task is `interrupted`, and its output what was said so far. 409 when no agent works on it.',
  params: idParams('task_id'),
  errors: [409],
  response: { status: 200, schema: taskSchema },
  handler: async ({ caller, params: { task_id: id } }, context) => {
    await changeOwn(context, caller, id, async () => {
      const chatId = await findWorkOn(context.database, caller, id);
      if (chatId === undefined) throw new AppError('conflict', 'No agent is working on the task');
      await requestInterrupt(context.database, caller, chatId);
    });
    return presentTask(caller, await getTask(context.database, readerOf(caller), id));
  },
});
