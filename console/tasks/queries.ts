import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { TaskStatus } from '../../domain/tasks/index.ts';
import type { Chat } from '../chats/index.ts';
import { answerOf } from '../core/http/api-client.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';

export type Task = components['schemas']['Task'];
export type TaskChanges = components['schemas']['TaskUpdate'];

const LIVE_MS = 5_000;
const MAX_CHAT_TITLE = 200;

/** Returns a task; it is read again while it is open, since agents end it. */
export function useTask(taskId: string): UseQueryResult<Task> {
  const [api, orgId] = [useApi(), useOrgId()];
  return useQuery({
    queryKey: [orgId, 'tasks', 'one', taskId],
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/tasks/{task_id}', { params: { path: { task_id: taskId } }, signal })),
    refetchInterval: ({ state: { data } }) => data?.status === 'in_progress' && LIVE_MS,
  });
}

/** Returns what changes a task; all that is shown of tasks is read again then. */
export function useChangeTask() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async ({ id, changes }: { id: string; changes: TaskChanges }) =>
      answerOf(api.PATCH('/api/tasks/{task_id}', { params: { path: { task_id: id } }, body: changes })),
    onSuccess: async () => cache.invalidateQueries({ queryKey: [orgId, 'tasks'] }),
  });
}

/** Returns the newest chats to which a task can be added: those of a project, or of all unless it is given. */
export function useChatsFor(projectId: string | undefined): UseQueryResult<Chat[]> {
  const [api, orgId] = [useApi(), useOrgId()];
  const query = projectId === undefined ? {} : { project_id: projectId };
  return useQuery({
    queryKey: [orgId, 'chats', 'for-tasks', query],
    queryFn: async ({ signal }) => answerOf(api.GET('/api/chats', { params: { query }, signal })),
  });
}

/** What a task is added with, and where. */
interface AddedTask {
  readonly fields: Omit<components['schemas']['TaskCreate'], 'chat_id'>;
  /** Null for a new chat of its agent. */
  readonly chatId: string | null;
  /** The project of a new chat. */
  readonly projectId: string | undefined;
  /** The status that one for a person is given. */
  readonly status: TaskStatus | undefined;
}

/** Returns what adds a task. It begins as pending; with another status it is moved there at once. */
export function useAddTask() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  return useMutation({
    mutationFn: async ({ fields, chatId, projectId, status = 'pending' }: AddedTask) => {
      const { assigned_agent_id: agentId = null, title } = fields;
      const newChat = { agent_id: agentId ?? '', title: title.slice(0, MAX_CHAT_TITLE), project_id: projectId ?? null };
      const id = chatId ?? (await answerOf(api.POST('/api/chats', { body: newChat }))).id;
      const task = await answerOf(api.POST('/api/tasks', { body: { ...fields, chat_id: id } }));
      if (status === 'pending' || agentId !== null) return task;
      const path = { task_id: task.id };
      return answerOf(api.PATCH('/api/tasks/{task_id}', { params: { path }, body: { status } }));
    },
    onSettled: async () => {
      await Promise.all(['tasks', 'chats', 'board'].map((key) => cache.invalidateQueries({ queryKey: [orgId, key] })));
    },
  });
}
