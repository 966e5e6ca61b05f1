import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { TaskStatus } from '../../domain/tasks.ts';
import type { Chat } from '../chats/index.ts';
import { useLive } from '../core/events/live.ts';
import { type Pages, useAnswer, usePages, useRecordActions, useSend } from '../core/http/use-answer.ts';
import { answerOf, pageOf } from '../core/http/api-client.ts';
import { Problem } from '../core/http/problem.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import type { TasksSearch } from './routes.ts';

export type Task = components['schemas']['Task'];
export type TaskChanges = components['schemas']['TaskUpdate'];

const LIVE_MS = 3_000;
const LIST_MS = 10_000;
const MAX_CHAT_TITLE = 200;

/** Returns a task; while an agent works on it and no events tell of it, it is read again. */
export function useTask(taskId: string): UseQueryResult<Task> {
  const isLive = useLive();
  return useAnswer(['tasks', 'one', taskId], '/api/tasks/{task_id}', {
    params: { path: { task_id: taskId } },
    refetchInterval: ({ state: { data } }) => !isLive && data?.status === 'in_progress' && LIVE_MS,
  });
}

/** Returns what changes a task; all that is shown of tasks is read again then. */
export function useChangeTask() {
  return useSend(
    async (api, { id, changes }: { id: string; changes: TaskChanges }) =>
      api.PATCH('/api/tasks/{task_id}', { params: { path: { task_id: id } }, body: changes }),
    { reads: [['tasks']] },
  );
}

/** Returns the newest chats to which a task can be added: those of a project, or of all unless it is given. */
export function useChatsFor(projectId: string | undefined): UseQueryResult<Chat[]> {
  const query = { limit: 1_000, ...(projectId !== undefined && { project_id: projectId }) };
  return useAnswer(['chats', 'for-tasks', query], '/api/chats', { params: { query } });
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

/** A task that was added. */
interface TaskAdded {
  readonly task: Task;
  /** Why it was not given its status: it is pending then. */
  readonly problem?: Problem;
}

/** Returns what adds a task. It begins as pending; with another status it is moved there at once. */
export function useAddTask() {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  // The chat that was begun for a task that then failed: it is taken when the task is tried again.
  const begun = useRef<Chat>(undefined);
  const beginChat = async (agentId: string, projectId: string | null, title: string) => {
    const { current: chat } = begun;
    if (chat?.agent_id === agentId && chat.project_id === projectId) return chat;
    const body = { agent_id: agentId, title: title.slice(0, MAX_CHAT_TITLE), project_id: projectId };
    begun.current = await answerOf(api.POST('/api/chats', { body }));
    return begun.current;
  };
  return useMutation({
    mutationFn: async ({ fields, chatId, projectId, status = 'pending' }: AddedTask): Promise<TaskAdded> => {
      const { assigned_agent_id: agentId = null, title } = fields;
      const id = chatId ?? (await beginChat(agentId ?? '', projectId ?? null, title)).id;
      const task = await answerOf(api.POST('/api/tasks', { body: { ...fields, chat_id: id } }));
      begun.current = undefined;
      if (status === 'pending' || agentId !== null) return { task };
      const params = { path: { task_id: task.id } };
      try {
        return { task: await answerOf(api.PATCH('/api/tasks/{task_id}', { params, body: { status } })) };
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        // It is there: were it a failure, whoever tries again would add it twice.
        return { task, problem };
      }
    },
    onSettled: async () => {
      await Promise.all(['tasks', 'chats', 'board'].map((key) => cache.invalidateQueries({ queryKey: [orgId, key] })));
    },
  });
}

/** Returns what agents and people do for an issue, the oldest first; asks for nothing while it is off. */
export function useTasksOfIssue(issueId: string, enabled: boolean): UseQueryResult<Task[]> {
  const isLive = useLive();
  return useAnswer(['tasks', 'of-issue', issueId], '/api/tasks', {
    params: { query: { issue_id: issueId } },
    refetchInterval: ({ state: { data } }) =>
      !isLive && data?.some(({ status }) => status === 'in_progress') === true && LIVE_MS,
    enabled,
  });
}

/** Tasks as the address asks for them. */
interface TaskList {
  /** What was read, the oldest first. */
  readonly pages: Pages<Task>;
  /** The same, those at work first, then the newest. */
  readonly shown: readonly Task[];
}

/** The rank of a status in a list: what is at work, what waits, what has ended. */
const RANKS = { in_progress: 0, pending: 1, failed: 2, interrupted: 2, completed: 2, cancelled: 2 } as const;

/** Returns one's tasks, or those of a project. They are read again now and then where no events tell of them. */
export function useTaskList({ q = '', status, project, agent }: TasksSearch): TaskList {
  const [api, orgId, isLive] = [useApi(), useOrgId(), useLive()];
  const given = {
    ...(status !== undefined && { status }),
    ...(agent !== undefined && { assigned_agent_id: agent }),
    ...(q !== '' && { q }),
  };
  const pages = usePages<Task>({
    queryKey: [orgId, 'tasks', 'list', project ?? null, given],
    read: async ({ signal, ...page }) => {
      if (project === undefined)
        return pageOf(api.GET('/api/tasks', { params: { query: { ...given, ...page } }, signal }));
      const path = { project_id: project };
      return pageOf(
        api.GET('/api/projects/{project_id}/tasks', { params: { path, query: { ...given, ...page } }, signal }),
      );
    },
    keyOf: ({ id }) => id,
    pageSize: 200,
    isKept: true,
    refetchInterval: !isLive && LIST_MS,
  });
  const read = pages.data?.items ?? [];
  return {
    pages,
    shown: read.toSorted((one, other) => RANKS[one.status] - RANKS[other.status] || newestFirst(one, other)),
  };
}

function newestFirst(one: Task, other: Task): number {
  return other.created_at.localeCompare(one.created_at);
}

/** Returns the parts of a task, the oldest first. */
export function useParts(taskId: string): UseQueryResult<Task[]> {
  return useAnswer(['tasks', 'parts', taskId], '/api/tasks', { params: { query: { parent_task_id: taskId } } });
}

/** Returns what interrupts a task, tries it again, or deletes it for good. */
export function useTaskActions(taskId: string) {
  const [orgId, cache] = [useOrgId(), useQueryClient()];
  const records = useRecordActions('tasks', '/api/tasks', '/api/tasks/{task_id}');
  const params = { path: { task_id: taskId } };
  // What was refused was refused because the task has changed: it is read again then, too.
  const options = { reads: [['tasks']], isAlways: true };
  return {
    interrupt: useSend(async (api) => api.POST('/api/tasks/{task_id}/interrupt', { params }), options),
    retry: useSend(async (api) => api.POST('/api/tasks/{task_id}/retry', { params }), options),
    remove: async () => {
      await records.remove(taskId);
      await cache.invalidateQueries({ queryKey: [orgId, 'board'] });
    },
  };
}

/** Returns the id of the newest turn of the chat in which an agent works on a task; read again with its attempts. */
export function useNewestTurn(chatId: string, attempts: number): UseQueryResult<string | null> {
  const [api, orgId] = [useApi(), useOrgId()];
  const params = { path: { chat_id: chatId }, query: { limit: 1 } };
  return useQuery({
    queryKey: [orgId, 'chats', 'newest-turn', chatId, attempts],
    queryFn: async ({ signal }) => {
      const turns = await answerOf(api.GET('/api/chats/{chat_id}/turns', { params, signal }));
      return turns[0]?.id ?? null;
    },
  });
}
