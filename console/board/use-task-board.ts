import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { useAnswer } from '../core/http/use-answer.ts';
import { type Api, answerOf } from '../core/http/api-client.ts';
import { readEvents } from '../core/http/event-stream.ts';
import { Problem } from '../core/http/problem.ts';
import { useApi, useOrgId } from '../core/session/session-context.tsx';
import type { components } from '../openapi.ts';
import { type BoardTask, type TaskBoard, withoutTask, withTask } from './board-state.ts';

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
  const query = useAnswer(['board', projectId], '/api/board', {
    params: { query: { project_id: projectId } },
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

type Schemas = components['schemas'];

/** An event of the stream of a board. */
export type BoardEvent =
  | { event: 'board'; data: Schemas['Board'] }
  | { event: 'task'; data: Schemas['BoardTask'] }
  | { event: 'removed'; data: Schemas['BoardRemoval'] }
  | { event: 'error'; data: Schemas['BoardStreamError'] };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

interface BoardWatcher {
  readonly projectId: string;
  /** Ends the watch when it is aborted. */
  readonly signal: AbortSignal;
  onEvent(event: BoardEvent): void;
  /** Is told whether changes arrive. */
  onLive(isLive: boolean): void;
}

/**
 * Watches a board until the signal is aborted. A stream that ends is opened again, later and later while that fails;
 * it begins with the whole board, so nothing is missed. What is refused is not asked for again.
 */
export async function watchBoard(api: Api, watcher: BoardWatcher): Promise<void> {
  let waitMs = FIRST_WAIT_MS;
  while (!watcher.signal.aborted) {
    try {
      for await (const event of open(api, watcher)) {
        waitMs = FIRST_WAIT_MS;
        watcher.onEvent(event);
      }
    } catch (error) {
      if (watcher.signal.aborted) return;
      if (error instanceof Problem && !error.isPassing) {
        watcher.onLive(false);
        return;
      }
      if (error instanceof Problem) waitMs = Math.max(waitMs, (error.retryAfterSeconds ?? 0) * 1_000);
    }
    if (watcher.signal.aborted) return;
    watcher.onLive(false);
    await pause(waitMs, watcher.signal);
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
  }
}

async function* open(api: Api, { projectId, signal, onLive }: BoardWatcher): AsyncGenerator<BoardEvent> {
  const query = { project_id: projectId };
  const call = api.GET('/api/board/stream', { params: { query }, parseAs: 'stream', signal });
  const body = await answerOf<ReadableStream<Uint8Array> | null>(call);
  if (body === null) return;
  onLive(true);
  for await (const { event, data } of readEvents(body))
    yield { event, data: JSON.parse(data) as unknown } as BoardEvent;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
