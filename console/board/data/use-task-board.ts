import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { answerOf } from '../../core/http/api-client.ts';
import { useApi, useOrgId } from '../../core/session/session-context.tsx';
import { type BoardTask, type TaskBoard, withoutTask, withTask } from './board-state.ts';
import { type BoardEvent, watchBoard } from './watch-board.ts';

/** How often a board is read whose changes do not arrive by themselves. */
const POLL_MS = 10_000;

interface WatchedBoard {
  readonly query: UseQueryResult<TaskBoard>;
  /** Whether changes arrive by themselves. */
  readonly isLive: boolean;
  /** Takes a task as the server has just answered it. */
  take(task: BoardTask): void;
}

/** Returns the board of the tasks of a project, which changes as they do. In a hidden tab it stands still. */
export function useTaskBoard(projectId: string): WatchedBoard {
  const [api, orgId, cache] = [useApi(), useOrgId(), useQueryClient()];
  const [isLive, setIsLive] = useState(false);
  const query = useQuery({
    queryKey: [orgId, 'board', projectId],
    queryFn: async ({ signal }) =>
      answerOf(api.GET('/api/board', { params: { query: { project_id: projectId } }, signal })),
    staleTime: isLive ? Number.POSITIVE_INFINITY : 0,
    refetchInterval: isLive ? false : POLL_MS,
  });
  const change = useCallback(
    (apply: (board: TaskBoard) => TaskBoard) =>
      void cache.setQueryData<TaskBoard>([orgId, 'board', projectId], (board) => board && apply(board)),
    [cache, orgId, projectId],
  );
  const isRead = query.data !== undefined;
  useEffect(() => {
    if (!isRead) return undefined;
    const take = (event: BoardEvent) => {
      if (event.event === 'board') change(() => event.data);
      if (event.event === 'task') change((board) => withTask(board, event.data));
      if (event.event === 'removed') change((board) => withoutTask(board, event.data.id));
    };
    let ended = new AbortController();
    const begin = () => {
      ended.abort();
      ended = new AbortController();
      if (document.hidden) return;
      void watchBoard(api, { projectId, signal: ended.signal, onEvent: take, onLive: setIsLive });
    };
    begin();
    document.addEventListener('visibilitychange', begin);
    return () => {
      document.removeEventListener('visibilitychange', begin);
      ended.abort();
      setIsLive(false);
    };
  }, [api, projectId, isRead, change]);
  return { query, isLive, take: useCallback((task) => change((board) => withTask(board, task)), [change]) };
}
