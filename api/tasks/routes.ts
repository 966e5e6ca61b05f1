import { getProject } from '../../db/projects/index.ts';
import { createTask, deleteTask, getTask, listTasks, readBoard, retryTask, updateTask } from '../../db/tasks/index.ts';
import { present, presenter, toFields } from '../../domain/core/record-names.ts';
import { asOwner, readerOf } from '../chats/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { changeOwn } from './change-own.ts';
import { interruptTaskRoute } from './interrupt-task.ts';
import { boardQuery, boardSchema, newTaskSchema, taskChangesSchema, taskSchema, tasksQuery } from './schema.ts';

const view = { resource: 'tasks', access: 'tasks.view', tag: 'Tasks' } as const;
const manage = { resource: 'tasks', access: 'tasks.manage', audit: false, tag: 'Tasks' } as const;
const params = idParams('task_id');

export const taskRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/tasks',
    operationId: 'listTasks',
    summary: 'Your tasks, or those of a chat, oldest first',
    description: 'Those of sub-agents are among them. `chat_id` may be that of a chat that is shared with you.',
    query: tasksQuery,
    response: { status: 200, schema: taskSchema.array() },
    handler: async ({ caller, query: { chat_id: chatId, ...query }, answerPage }, { database }) =>
      answerPage(await listTasks(database, readerOf(caller), { ...query, chatId })).map(presenter(taskSchema)),
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
      present(taskSchema, await getTask(database, readerOf(caller), id)),
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
    handler: async ({ caller, body }, context) => {
      const fields = { ...toFields(newTaskSchema, body), maxBytes: context.orgLimits.messageBytes };
      const add = async () => createTask(context.database, caller, fields);
      return present(taskSchema, await asOwner(context, caller, fields.chatId, add));
    },
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
    handler: async ({ caller, params: { task_id: id }, body }, context) => {
      const update = async () => updateTask(context.database, caller, id, toFields(taskChangesSchema, body));
      return present(taskSchema, await changeOwn(context, caller, id, update));
    },
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
    handler: async ({ caller, params: { task_id: id } }, context) =>
      present(taskSchema, await changeOwn(context, caller, id, async () => retryTask(context.database, caller, id))),
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
    handler: async ({ caller, params: { task_id: id } }, context) =>
      changeOwn(context, caller, id, async () => deleteTask(context.database, caller, id)),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/projects/{project_id}/tasks',
    operationId: 'listProjectTasks',
    summary: 'The tasks of the chats of a project that you may read, oldest first',
    params: idParams('project_id'),
    query: pageQuery,
    response: { status: 200, schema: taskSchema.array() },
    handler: async ({ caller, params: { project_id: projectId }, query, answerPage }, { database }) => {
      await getProject(database, caller.orgId, projectId);
      return answerPage(await listTasks(database, readerOf(caller), { ...query, projectId })).map(
        presenter(taskSchema),
      );
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/board',
    action: 'board',
    operationId: 'getBoard',
    summary: 'The tasks of a project by status',
    query: boardQuery,
    errors: [404],
    response: { status: 200, schema: boardSchema },
    handler: async ({ caller, query: { project_id: projectId } }, { database }) => {
      await getProject(database, caller.orgId, projectId);
      const columns = await readBoard(database, readerOf(caller), projectId);
      return present(boardSchema, { projectId, columns });
    },
  }),
];
