import { createTask, deleteTask, getTask, listTasks, retryTask, updateTask } from '../../db/tasks/index.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { idParams } from '../resources/id-fields.ts';
import { interruptTaskRoute } from './interrupt-task.ts';
import { newTaskSchema, taskChangesSchema, taskSchema, tasksQuery } from './schema.ts';

const view = { resource: 'tasks', access: 'tasks.view', tag: 'Tasks' } as const;
const manage = { resource: 'tasks', access: 'tasks.manage', audit: false, tag: 'Tasks' } as const;
const params = idParams('task_id');

export const taskRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/tasks',
    operationId: 'listTasks',
    summary: 'Your tasks, oldest first',
    description: 'Those of sub-agents in your chats are among them.',
    query: tasksQuery,
    response: { status: 200, schema: taskSchema.array() },
    handler: async ({ caller, query: { chat_id: chatId, ...query }, answerPage }, { database }) =>
      answerPage(await listTasks(database, caller, { ...query, chatId, status: query.status })).map(
        presenter(taskSchema),
      ),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/tasks/{task_id}',
    operationId: 'getTask',
    summary: 'One task',
    params,
    response: { status: 200, schema: taskSchema },
    handler: async ({ caller, params: { task_id: id } }, { database }) =>
      present(taskSchema, await getTask(database, caller, id)),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/tasks',
    operationId: 'createTask',
    summary: 'Add a task to a chat',
    description:
      'An agent that is assigned begins at once, in a chat of its own and with your rights and limits, unless the task depends on others. Its answer is the `output` of the task, and a message in the chat. 409 in the chat of a sub-agent, and when the chat holds 5,000 tasks.',
    body: newTaskSchema,
    errors: [404, 409],
    response: { status: 201, schema: taskSchema },
    handler: async ({ caller, body }, { database }) =>
      present(taskSchema, await createTask(database, caller, toFields(newTaskSchema, body))),
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/tasks/{task_id}',
    operationId: 'updateTask',
    summary: 'Change a task; only the given fields change',
    description:
      'A task that is `pending` and has an agent is begun. 409 for a status that may not follow the present one, for a change of status, agent or dependencies while the agent works, for dependencies that close a circle, and for the task of a sub-agent.',
    params,
    body: taskChangesSchema,
    errors: [409],
    response: { status: 200, schema: taskSchema },
    handler: async ({ caller, params: { task_id: id }, body }, { database }) =>
      present(taskSchema, await updateTask(database, caller, id, toFields(taskChangesSchema, body))),
  }),
  interruptTaskRoute,
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/tasks/{task_id}/retry',
    action: 'retry',
    operationId: 'retryTask',
    summary: 'Have the agent of a task that has ended try it again',
    description:
      'The agent goes on in the same chat and sees what it did before. 409 while the task has not ended, without an agent, and for the task of a sub-agent.',
    params,
    errors: [409],
    response: { status: 200, schema: taskSchema },
    handler: async ({ caller, params: { task_id: id } }, { database }) =>
      present(taskSchema, await retryTask(database, caller, id)),
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/tasks/{task_id}',
    operationId: 'deleteTask',
    summary: 'Delete a task permanently',
    description:
      'Those that depend on it wait for it no longer; what its agent said stays in the chat. 409 while an agent works on it, and for the task of a sub-agent.',
    params,
    errors: [409],
    response: { status: 204 },
    handler: async ({ caller, params: { task_id: id } }, { database }) => deleteTask(database, caller, id),
  }),
];
