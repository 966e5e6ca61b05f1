import { answerOf, type Api } from '../../core/http/api-client.ts';
import { readEvents } from '../../core/http/event-stream.ts';
import { Problem } from '../../core/http/problem.ts';
import type { components } from '../../openapi.ts';

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
