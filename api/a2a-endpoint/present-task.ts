import { StreamResponse, Task, TaskState } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import {
  type A2aTask,
  type A2aTaskState,
  answerJson,
  artifactsJson,
  type ShownTask,
  statusJson,
  taskJson,
} from '../../domain/a2a-tasks.ts';

/** The states of tasks, as the protocol's library has them. */
const STATES: ReadonlyMap<TaskState, A2aTaskState> = new Map([
  [TaskState.TASK_STATE_SUBMITTED, 'submitted'],
  [TaskState.TASK_STATE_WORKING, 'working'],
  [TaskState.TASK_STATE_INPUT_REQUIRED, 'input_required'],
  [TaskState.TASK_STATE_COMPLETED, 'completed'],
  [TaskState.TASK_STATE_FAILED, 'failed'],
  [TaskState.TASK_STATE_CANCELED, 'canceled'],
]);

/** Returns the state of tasks that the protocol's library means; undefined for those that no task is ever in. */
export function stateOf(state: TaskState): A2aTaskState | undefined {
  return STATES.get(state);
}

/** Rejects a length of a history that is none. */
export function checkHistoryLength({ historyLength = 0 }: ShownTask): void {
  if (!Number.isInteger(historyLength) || historyLength < 0)
    throw new RequestMalformedError('historyLength must be a whole number from 0');
}

/** Returns a task as the protocol's library has it. */
export function presentTask(task: A2aTask, shown?: ShownTask): Task {
  return Task.fromJSON(taskJson(task, shown));
}

/** Returns the stream event for a changed task state; at the end of the task it contains the whole answer. */
export function presentChange(task: A2aTask): StreamResponse[] {
  const ids = { taskId: task.id, contextId: task.chatId };
  return [
    // Sent whole instead of the streamed chunks, which may belong to an abandoned attempt.
    ...artifactsJson(task).map((artifact) => ({
      artifactUpdate: { ...ids, artifact, append: false, lastChunk: true },
    })),
    { statusUpdate: { ...ids, status: statusJson(task) } },
  ].map((event) => StreamResponse.fromJSON(event));
}

/** Returns the stream event for new text of an answer; `append` unless it is the first part. */
export function presentText(
  { id, chatId }: Pick<A2aTask, 'id' | 'chatId'>,
  text: string,
  append: boolean,
): StreamResponse {
  const artifact = answerJson(text);
  return StreamResponse.fromJSON({
    artifactUpdate: { taskId: id, contextId: chatId, artifact, append, lastChunk: false },
  });
}
