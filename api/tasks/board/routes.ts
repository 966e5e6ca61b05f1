import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { ChatReader } from '../../../db/chats/chat.ts';
import type { Database } from '../../../db/core/database.ts';
import { isDatabaseUnavailable } from '../../../db/core/unavailable.ts';
import { type BoardTask, readBoard } from '../../../db/tasks/board.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { KeyedSemaphore } from '../../../domain/core/keyed-semaphore.ts';
import { allowedIds } from '../../../domain/permissions/restrict.ts';
import { readerOf } from '../../chats/own-chat.ts';
import type { OrgCaller } from '../../context/api-context.ts';
import type { BoardSubscriptions, BoardViewer } from '../../context/subscriptions.ts';
import type { SseReply } from '../../http/sse-reply.ts';
import {
  boardEventSchema,
  boardQuery,
  boardSchema,
  type EventData,
  type EventName,
  presentBoard,
  presentBoardTask,
} from './schema.ts';
import { getProject } from '../../../db/projects/projects.ts';
import { defineRoute, defineStreamRoute } from '../../http/define-route.ts';
import { streamQuery } from '../../http/fields.ts';

/** Changes that wait while the board is read; when there are more, it is read again instead. */
const MAX_WAITING = 1_000;
/** How long a viewer waits who could not be shown the board, in milliseconds. */
const RETRY_MS = 2_000;

/** Boards that are read at once: of one payer, and in all. They are large. */
const reads = new KeyedSemaphore({
  perKey: 2,
  total: 6,
  maxWaiting: Number.POSITIVE_INFINITY,
  createError: () => new Error('too many boards wait to be read'),
});

interface BoardStreamDeps {
  readonly database: Database;
  readonly boards: BoardSubscriptions;
  readonly log: Logger;
}

/** Sends a board as server-sent events: first the whole of it, then each change. */
export class BoardStream implements BoardViewer {
  readonly #reply: SseReply;
  readonly #deps: BoardStreamDeps;
  readonly #projectId: string;
  #caller: OrgCaller;
  // Changes that arrive while the board is read: they may be older or newer than what is read.
  #waiting: (BoardTask | string)[] | undefined;
  #isStale = false;

  constructor(reply: SseReply, deps: BoardStreamDeps, viewer: { projectId: string; caller: OrgCaller }) {
    this.#reply = reply;
    this.#deps = deps;
    this.#projectId = viewer.projectId;
    this.#caller = viewer.caller;
  }

  get reader(): ChatReader {
    return readerOf(this.#caller);
  }

  /**
   * Applies the viewer's current rights, and sends the whole board when tasks or agents appear or disappear with them.
   */
  setCaller(caller: OrgCaller): void {
    const isSame = isDeepStrictEqual(sightOf(caller), sightOf(this.#caller));
    this.#caller = caller;
    if (!isSame) this.onStale();
  }

  /** Opens the reply and shows the board; changes follow. Throws before it has opened the reply. */
  async start(): Promise<void> {
    this.#waiting = [];
    // Before the board is read, so that no change falls between the two.
    const unsubscribe = this.#deps.boards.subscribe(this.#projectId, this);
    this.#reply.closed.signal.addEventListener('abort', unsubscribe);
    try {
      const board = await this.#read();
      this.#reply.open();
      this.#show(board);
    } catch (error) {
      unsubscribe();
      throw error;
    }
  }

  onTask(task: BoardTask): void {
    if (!this.#keep(task)) this.#sendTask(task);
  }

  onRemoved(taskId: string): void {
    if (!this.#keep(taskId)) this.#send('removed', { id: taskId });
  }

  onStale(): void {
    if (this.#waiting !== undefined) this.#isStale = true;
    else void this.#renew();
  }

  #keep(change: BoardTask | string): boolean {
    if (this.#waiting === undefined) return false;
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(change);
    else this.#isStale = true;
    return true;
  }

  async #renew(): Promise<void> {
    this.#waiting = [];
    try {
      this.#show(await this.#read());
    } catch (error) {
      if (isDatabaseUnavailable(error)) this.#renewLater();
      else this.#breakOff(error);
    }
  }

  // The viewer keeps what it has.
  #renewLater(): void {
    setTimeout(() => {
      if (!this.#reply.closed.signal.aborted) void this.#renew();
    }, RETRY_MS).unref();
  }

  // A viewer who reconnects gets the whole board, or the reason why not.
  #breakOff(error: unknown): void {
    this.#deps.log.error({ err: error, projectId: this.#projectId }, 'a board could not be read again');
    this.#reply.breakOff(new AppError('unavailable', 'The board could not be read; connect again'), () => {
      this.#reply.end();
    });
  }

  async #read() {
    const { reader } = this;
    const { database } = this.#deps;
    return reads.run(await database.payers.of(reader.orgId), async () => readBoard(database, reader, this.#projectId));
  }

  #show(columns: Awaited<ReturnType<typeof readBoard>>): void {
    this.#send('board', presentBoard(this.#caller, { projectId: this.#projectId, columns }));
    const shown = new Map(columns.flatMap(({ tasks }) => tasks.map(({ id, updatedAt }) => [id, updatedAt])));
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const change of waiting) {
      if (typeof change === 'string') this.#send('removed', { id: change });
      else if (change.updatedAt >= (shown.get(change.id) ?? new Date(0))) this.#sendTask(change);
    }
    if (!this.#isStale) return;
    this.#isStale = false;
    void this.#renew();
  }

  #sendTask(task: BoardTask): void {
    this.#send('task', presentBoardTask(this.#caller, task));
  }

  #send<K extends EventName>(event: K, data: EventData<K>): void {
    this.#reply.send(event, data);
  }
}

/** The rights that decide what a viewer may see. */
function sightOf(caller: OrgCaller) {
  return { seesShared: readerOf(caller).seesShared, agentIds: allowedIds(caller.policy, 'agentIds') };
}

export const getBoardRoute = defineRoute({
  method: 'get',
  path: '/api/board',
  resource: 'tasks',
  action: 'board',
  access: 'tasks.view',
  tag: 'Tasks',
  operationId: 'getBoard',
  summary: 'Get the board of a project: its tasks by status, in their order',
  query: boardQuery,
  errors: [404],
  response: { status: 200, schema: boardSchema },
  handler: async ({ caller, query: { project_id: projectId } }, { database }) => {
    await getProject(database, caller.orgId, projectId);
    const columns = await readBoard(database, readerOf(caller), projectId);
    return presentBoard(caller, { projectId, columns });
  },
});

/** Shows a board, and then what changes on it, until the viewer leaves or loses the right to it. */
export const streamBoardRoute = defineStreamRoute({
  method: 'get',
  path: '/api/board/stream',
  resource: 'tasks',
  action: 'view_board_stream',
  access: 'tasks.view',
  tag: 'Tasks',
  operationId: 'watchBoard',
  summary: 'Watch the board of a project, as server-sent events',
  description:
    'The first event, `board`, is what `GET /api/board` returns. From then on, each task that is added, changed or moved is sent in its current state (`task`) within a second, and each removed task by its id (`removed`). Events may repeat what the client already has. `board` is sent again when tasks may have appeared or disappeared with their chats, and from time to time: it replaces everything before it. A client that reconnects starts with it, so nothing is missed.',
  query: streamQuery.extend(boardQuery.shape),
  errors: [404, 429],
  response: { status: 200, stream: 'text/event-stream', schema: boardEventSchema },
  handler: async ({ caller, query: { project_id: projectId }, checkWhileOpen }, context, reply) => {
    await getProject(context.database, caller.orgId, projectId);
    const stream = new BoardStream(reply, context, { projectId, caller });
    checkWhileOpen(async (current) => {
      await getProject(context.database, current.orgId, projectId);
      stream.setCaller(current);
    });
    await stream.start();
  },
});
