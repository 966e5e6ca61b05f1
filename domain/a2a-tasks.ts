import { cut } from './core/text.ts';
import { CUT_BY_TOKEN_LIMIT } from './turns.ts';

/** The state of a task, by the words of the Agent2Agent protocol. */
export type A2aTaskState = 'submitted' | 'working' | 'input_required' | 'completed' | 'failed' | 'canceled';

/** A call that waits for a person's decision, of the agent or of a sub-agent below it. */
interface PendingApproval {
  readonly id: string;
  readonly label: string;
}

/** A turn of a user's with an agent, as a task of the Agent2Agent protocol. */
export interface A2aTask {
  /** That of the turn. */
  readonly id: string;
  readonly chatId: string;
  readonly state: A2aTaskState;
  /** When it entered its state, as far as rows record: when the turn was stored, begun or ended. */
  readonly at: Date;
  readonly question: { readonly id: string; readonly content: string };
  /** Null while the turn is open, and in lists that leave answers out. */
  readonly answer: string | null;
  /** Why it failed, in words for its user. */
  readonly error: string | null;
  /** Whether the model's token limit has cut the answer. */
  readonly isCut: boolean;
  readonly approvals: readonly PendingApproval[];
}

/** Returns whether a task changes no more. */
export function isFinal({ state }: Pick<A2aTask, 'state'>): boolean {
  return state === 'completed' || state === 'failed' || state === 'canceled';
}

/** The visible fields of a task. */
export interface ShownTask {
  /** The messages of its history, at most; all unless given. */
  readonly historyLength?: number | undefined;
  /** The characters of its answer, at most; all unless given. */
  readonly maxCharacters?: number;
}

/** Returns a task in the JSON of version 1.0 of the protocol, which its libraries turn into other forms. */
export function taskJson(task: A2aTask, { historyLength = 1, maxCharacters }: ShownTask = {}) {
  return {
    id: task.id,
    contextId: task.chatId,
    status: statusJson(task),
    artifacts: artifactsJson(task, maxCharacters),
    history: historyLength > 0 ? [messageJson(task, task.question.id, 'ROLE_USER', task.question.content)] : [],
  };
}

/** Returns the state of a task in the JSON of the protocol, with what there is to say of it. */
export function statusJson(task: A2aTask) {
  const said = sentenceOf(task);
  return {
    state: `TASK_STATE_${task.state.toUpperCase()}`,
    ...(said !== undefined && { message: messageJson(task, `${task.id}-status`, 'ROLE_AGENT', said) }),
    timestamp: task.at.toISOString(),
  };
}

/** Returns the answer of a task in the JSON of the protocol; nothing while there is none. */
export function artifactsJson({ state, answer }: A2aTask, maxCharacters = Infinity) {
  if (answer === null || answer === '' || state === 'failed') return [];
  if (answer.length <= maxCharacters) return [answerJson(answer)];
  return [{ ...answerJson(cut(answer, maxCharacters)), metadata: { truncated: true } }];
}

/** Returns an answer, or a chunk of one, in the JSON of the protocol. */
export function answerJson(text: string) {
  return { artifactId: 'answer', name: 'Answer', parts: [partJson(text)] };
}

function sentenceOf({ state, error, isCut, approvals }: A2aTask): string | undefined {
  if (state === 'failed') return error ?? 'The answer failed';
  if (state === 'completed' && isCut) return CUT_BY_TOKEN_LIMIT;
  if (state !== 'input_required') return undefined;
  const calls = approvals.map(({ label }) => label).join('; ');
  return `A person has to decide, in the approvals of Everturn, about what the agent wants to do: ${calls}`;
}

function messageJson({ id, chatId }: A2aTask, messageId: string, role: 'ROLE_USER' | 'ROLE_AGENT', text: string) {
  return { messageId, contextId: chatId, taskId: id, role, parts: [partJson(text)] };
}

function partJson(text: string) {
  return { text, mediaType: 'text/plain' };
}
