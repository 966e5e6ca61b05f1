import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import type { A2aTask, A2aTaskState } from '../../db/a2a/tasks.ts';
import { CUT_BY_TOKEN_LIMIT } from '../../domain/turns.ts';

/** The states of tasks, as the protocol's library has them. */
const STATES = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  input_required: TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
} as const satisfies Readonly<Record<A2aTaskState, TaskState>>;

/** Returns the state of tasks that the protocol's library means; undefined for those that no task is ever in. */
export function stateOf(state: TaskState): A2aTaskState | undefined {
  return (Object.keys(STATES) as A2aTaskState[]).find((name) => STATES[name] === state);
}

/** What of a task is shown. */
export interface Shown {
  /** The messages of its history, at most; all unless given. */
  readonly historyLength?: number | undefined;
}

/** Returns a task as the protocol has it. */
export function presentTask(task: A2aTask, { historyLength = 1 }: Shown = {}): Task {
  return {
    id: task.id,
    contextId: task.chatId,
    status: statusOf(task),
    artifacts: artifactsOf(task),
    history: historyLength > 0 ? [messageOf(task, task.question.id, Role.ROLE_USER, task.question.content)] : [],
    metadata: undefined,
  };
}

/** Returns what readers of a stream are told when the state of a task has changed: at its end, the whole answer too. */
export function presentChange(task: A2aTask): StreamResponse[] {
  const ids = { taskId: task.id, contextId: task.chatId, metadata: undefined };
  return [
    // Whole, instead of the chunks: they may be those of an attempt that was given up.
    ...artifactsOf(task).map((artifact): StreamResponse => {
      const value = { ...ids, artifact, append: false, lastChunk: true };
      return { payload: { $case: 'artifactUpdate', value } };
    }),
    { payload: { $case: 'statusUpdate', value: { ...ids, status: statusOf(task) } } },
  ];
}

/** Returns what readers of a stream are told when an answer has grown; `append` unless it is the first part. */
export function presentText(
  { id, chatId }: Pick<A2aTask, 'id' | 'chatId'>,
  text: string,
  append: boolean,
): StreamResponse {
  const value = {
    taskId: id,
    contextId: chatId,
    artifact: answerOf(text),
    append,
    lastChunk: false,
    metadata: undefined,
  };
  return { payload: { $case: 'artifactUpdate', value } };
}

function statusOf(task: A2aTask): TaskStatus {
  const said = sentenceOf(task);
  return {
    state: STATES[task.state],
    message: said === undefined ? undefined : messageOf(task, `${task.id}-status`, Role.ROLE_AGENT, said),
    timestamp: task.at.toISOString(),
  };
}

function sentenceOf({ state, error, isCut, approvals }: A2aTask): string | undefined {
  if (state === 'failed') return error ?? 'The answer failed';
  if (state === 'completed' && isCut) return CUT_BY_TOKEN_LIMIT;
  if (state !== 'input_required') return undefined;
  const calls = approvals.map(({ label }) => label).join('; ');
  return `A person has to decide, in the approvals of Everturn, about what the agent wants to do: ${calls}`;
}

function artifactsOf({ state, answer }: A2aTask): Artifact[] {
  return answer === null || answer === '' || state === 'failed' ? [] : [answerOf(answer)];
}

function answerOf(text: string): Artifact {
  return {
    artifactId: 'answer',
    name: 'Answer',
    description: '',
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
  };
}

function messageOf({ id, chatId }: A2aTask, messageId: string, role: Role, text: string): Message {
  return {
    messageId,
    contextId: chatId,
    taskId: id,
    role,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}
