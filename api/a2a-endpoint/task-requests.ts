import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { A2AError, RequestMalformedError, TaskNotCancelableError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { requestInterrupt } from '../../db/turns/request-interrupt.ts';
import { isFinal, type ShownTask } from '../../domain/a2a-tasks.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { beginTask } from './begin-task.ts';
import { findTask, type TaskDeps, type TaskRef } from './find-task.ts';
import { followTask } from './follow-task.ts';
import { listTasks } from './list-tasks.ts';
import { checkHistoryLength, presentChange, presentTask, presentText } from './present-task.ts';
import { checkConfig, getConfig, listConfigs, removeConfig, storeConfig } from './push-configs.ts';

/** How long a cancellation waits for the end of its turn, in milliseconds. */
const CANCEL_WAIT_MS = 10_000;

interface Followed {
  /** Whether to keep following a task that already waits for a person. */
  readonly whileWaiting: boolean;
  readonly patience?: AbortSignal;
  readonly shown?: ShownTask | undefined;
}

/**
 * Answers the requests of one member about one agent; the protocol's library reads and writes them. The rows of turns
 * are the only store of tasks.
 */
export class TaskRequests implements A2ARequestHandler {
  readonly #deps: TaskDeps;
  #failure: Error | undefined;

  constructor(deps: TaskDeps) {
    this.#deps = deps;
  }

  /**
   * Why a request was not answered, where the protocol has no error for it, such as a limit or an outage: its library
   * would show it as an internal one.
   */
  get failure(): Error | undefined {
    return this.#failure;
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#deps.card;
  }

  async getAuthenticatedExtendedAgentCard(): Promise<never> {
    throw new UnsupportedOperationError('This agent has no extended card');
  }

  async sendMessage(request: SendMessageRequest): Promise<Task> {
    return this.#answer(async () => {
      const { configuration } = request;
      const ref = await beginTask(this.#deps, request);
      let task = await findTask(this.#deps, ref.id);
      if (configuration?.returnImmediately !== true)
        for await (const event of this.#follow(ref, { whileWaiting: false })) if ('task' in event) ({ task } = event);
      return presentTask(task, configuration);
    });
  }

  async *sendMessageStream(request: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    yield* this.#stream(await beginTask(this.#deps, request), { whileWaiting: false, shown: request.configuration });
  }

  async getTask(request: GetTaskRequest): Promise<Task> {
    return this.#answer(async () => {
      checkHistoryLength(request);
      return presentTask(await findTask(this.#deps, request.id), request);
    });
  }

  async listTasks(request: ListTasksRequest): Promise<ListTasksResponse> {
    return this.#answer(async () => listTasks(this.#deps, request));
  }

  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    return this.#answer(async () => {
      const { context, caller } = this.#deps;
      const task = await findTask(this.#deps, id);
      if (task.state === 'canceled') return presentTask(task);
      if (isFinal(task)) throw new TaskNotCancelableError(`The task has ended before: ${task.state}`);
      await requestInterrupt(context.database, caller, task.chatId, task.id);
      let after = task;
      const patience = AbortSignal.timeout(CANCEL_WAIT_MS);
      for await (const event of this.#follow(task, { whileWaiting: true, patience }))
        if ('task' in event) after = event.task;
      if (isFinal(after) && after.state !== 'canceled')
        throw new TaskNotCancelableError(`The task has ended before it could be canceled: ${after.state}`);
      return presentTask(after);
    });
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    const task = await findTask(this.#deps, id);
    if (isFinal(task)) throw new UnsupportedOperationError(`The task has ended, so nothing follows: ${task.state}`);
    yield* this.#stream(task, { whileWaiting: true });
  }

  async createTaskPushNotificationConfig(request: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    return this.#answer(async () => {
      const config = checkConfig(this.#deps, request);
      return storeConfig(this.#deps, await findTask(this.#deps, request.taskId), config);
    });
  }

  async getTaskPushNotificationConfig({
    taskId,
    id,
  }: GetTaskPushNotificationConfigRequest): Promise<TaskPushNotificationConfig> {
    return this.#answer(async () => getConfig(this.#deps, taskId, id));
  }

  async listTaskPushNotificationConfigs({
    taskId,
  }: ListTaskPushNotificationConfigsRequest): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.#answer(async () => ({ configs: await listConfigs(this.#deps, taskId), nextPageToken: '' }));
  }

  async deleteTaskPushNotificationConfig({ taskId, id }: DeleteTaskPushNotificationConfigRequest): Promise<void> {
    return this.#answer(async () => removeConfig(this.#deps, taskId, id));
  }

  async #answer<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const known = protocolErrorOf(error);
      if (known === undefined && error instanceof Error) this.#failure = error;
      throw known ?? error;
    }
  }

  #follow({ id, chatId }: TaskRef, { whileWaiting, patience }: Followed) {
    const { context, caller, signal } = this.#deps;
    const until = patience === undefined ? signal : AbortSignal.any([signal, patience]);
    const read = async () => findTask(this.#deps, id);
    return followTask(context, { orgId: caller.orgId, chatId, turnId: id }, { read, whileWaiting, signal: until });
  }

  async *#stream(ref: TaskRef, followed: Followed): AsyncGenerator<StreamResponse, void, undefined> {
    let hasBegun = false;
    let hasText = false;
    for await (const event of this.#follow(ref, followed)) {
      if ('text' in event) {
        yield presentText(ref, event.text, hasText);
        hasText = true;
      } else if (hasBegun) yield* presentChange(event.task);
      else {
        yield { payload: { $case: 'task', value: presentTask(event.task, followed.shown) } };
        hasBegun = true;
      }
    }
  }
}

/** Errors of a request, by the codes of this service. */
const OF_REQUEST: ReadonlySet<AppError['code']> = new Set(['conflict', 'invalid', 'unprocessable', 'not_found']);

/**
 * Returns a failure as an error of the protocol when it concerns the request itself; undefined for others, such as
 * limits and outages, with which the whole request is answered.
 */
export function protocolErrorOf(error: unknown): A2AError | undefined {
  if (error instanceof A2AError) return error;
  const isOfRequest = error instanceof AppError && OF_REQUEST.has(error.code);
  return isOfRequest ? new RequestMalformedError({ message: error.message, cause: error }) : undefined;
}
