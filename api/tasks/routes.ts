import { createTask } from '../../db/tasks/add-tasks.ts';
import { deleteTask, interruptTask, retryTask, updateTask } from '../../db/tasks/change-task.ts';
import { getTask, listTasks } from '../../db/tasks/tasks.ts';
import { asOwner, readerOf } from '../chats/own-chat.ts';
import { getProject } from '../../db/projects/projects.ts';
import { toFields } from '../../domain/core/record-names.ts';
import { checkTurnReports } from '../destinations/run-reports.ts';
import { defineRoute } from '../http/define-route.ts';
import { getBoardRoute, streamBoardRoute } from './board/routes.ts';
import { changeOwn } from './own-task.ts';
import { taskDeliveryRoutes } from './task-deliveries.ts';
import { newTaskSchema, presentTask, projectTasksQuery, taskChangesSchema, taskSchema, tasksQuery } from './schema.ts';

const view = { resource: 'tasks', access: 'tasks.view', tag: 'Tasks' } as const;
const manage = { resource: 'tasks', access: 'tasks.manage', audit: false, tag: 'Tasks' } as const;

export const taskRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/tasks',
    operationId: 'listTasks',
    summary: 'List your tasks, or those of a chat, an issue or another task, oldest first',
    description:
      'Tasks of sub-agents are included. With `chat_id`, `issue_id` or `parent_task_id`, so are the tasks of chats shared with you.',
    query: tasksQuery,
    response: { status: 200, schema: taskSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) => {
      const { chat_id: chatId, issue_id: issueId, parent_task_id: parentTaskId, ...filters } = query;
      const { assigned_agent_id: assignedAgentId, ...page } = filters;
      const wanted = { ...page, assignedAgentId, chatId, issueId, parentTaskId };
      return answerPage(await listTasks(database, readerOf(caller), wanted)).map((task) => presentTask(caller, task));
    },
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/tasks/{task_id}',
    operationId: 'getTask',
    summary: 'Get a task',
    response: { status: 200, schema: taskSchema },
    handler: async ({ caller, params: { task_id: id } }, { database }) =>
      presentTask(caller, await getTask(database, readerOf(caller), { id })),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/tasks',
    operationId: 'createTask',
    summary: 'Add a task to a chat',
    description:
      'An assigned agent starts immediately, in a chat of its own and with your rights and limits, unless the task depends on others. Its answer becomes the `output` of the task, and a message in the chat. 409 in the chat of a sub-agent, when the chat has 5,000 tasks, and when nested more than 5 levels deep. `issue_id` also requires `issues.manage`, and `deliveries` requires `integrations.view`.',
    body: newTaskSchema,
    errors: [404, 409],
    response: { status: 201, schema: taskSchema },
    handler: async ({ caller, body }, context) => {
      const fields = { ...toFields(newTaskSchema, body), limits: context.orgLimits };
      checkTurnReports(caller, fields.deliveries);
      const add = async () => createTask(context.database, caller, fields);
      return presentTask(caller, await asOwner(context, caller, fields.chatId, add));
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/tasks/{task_id}',
    operationId: 'updateTask',
    summary: 'Change a task; only the given fields change',
    description:
      'A task that is `pending` and has an agent is started. 409 for a status that cannot follow the current one, for a change of status, agent or dependencies while the agent works, for circular dependencies, and for the task of a sub-agent, where only `position` can change. A task that is given the position of another one goes right after it.',
    body: taskChangesSchema,
    errors: [409],
    response: { status: 200, schema: taskSchema },
    handler: async ({ caller, params: { task_id: id }, body }, context) => {
      const changes = toFields(taskChangesSchema, body);
      const update = async () => updateTask(context.database, caller, { id }, changes, context.orgLimits);
      return presentTask(caller, await changeOwn(context, caller, id, update));
    },
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/tasks/{task_id}/interrupt',
    action: 'interrupt',
    operationId: 'interruptTask',
    summary: 'Stop the agent that works on a task',
    description:
      'Its sub-agents stop too. The response acknowledges the request; shortly after, the task is `interrupted`, and its output is the answer so far. 409 when no agent works on it.',
    errors: [409],
    response: { status: 200, schema: taskSchema },
    handler: async ({ caller, params: { task_id: id } }, context) => {
      const interrupt = async () => interruptTask(context.database, caller, { id });
      return presentTask(caller, await changeOwn(context, caller, id, interrupt));
    },
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/tasks/{task_id}/retry',
    action: 'retry',
    operationId: 'retryTask',
    summary: 'Retry a task that has ended',
    description:
      'The agent continues in the same chat and sees what it did before. 409 while the task has not ended, when it has no agent, and for the task of a sub-agent.',
    errors: [409],
    response: { status: 200, schema: taskSchema },
    handler: async ({ caller, params: { task_id: id } }, context) => {
      const retry = async () => retryTask(context.database, caller, id, context.orgLimits);
      return presentTask(caller, await changeOwn(context, caller, id, retry));
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/tasks/{task_id}',
    operationId: 'deleteTask',
    summary: 'Delete a task permanently',
    description:
      'Tasks that depend on it no longer wait for it; what its agent said stays in the chat. 409 while an agent works on it, and for the task of a sub-agent.',
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
    summary: "List the tasks of a project's chats that you may read, oldest first",
    query: projectTasksQuery,
    response: { status: 200, schema: taskSchema.array() },
    handler: async ({ caller, params: { project_id: projectId }, query, answerPage }, { database }) => {
      await getProject(database, caller.orgId, projectId);
      const { assigned_agent_id: assignedAgentId, ...page } = query;
      const listed = await listTasks(database, readerOf(caller), { ...page, assignedAgentId, projectId });
      return answerPage(listed).map((task) => presentTask(caller, task));
    },
  }),
  ...taskDeliveryRoutes,
  getBoardRoute,
  streamBoardRoute,
];
