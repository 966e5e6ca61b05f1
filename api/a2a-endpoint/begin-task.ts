import type { Message, Part, SendMessageRequest } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { AppError } from '../../domain/core/app-error.ts';
import { text } from '../../domain/core/text.ts';
import { MAX_CONTENT_CHARACTERS } from '../../domain/turns.ts';
import { getOwnChat } from '../chats/own-chat.ts';
import { acceptInChat, beginConversation, beginTurn, type CompletionTurn } from '../completions/begin-turn.ts';
import { findTask, idSchema, type TaskDeps, type TaskRef } from './find-task.ts';
import { checkHistoryLength } from './present-task.ts';
import { checkConfig, storeConfig } from './push-configs.ts';

const messageIdSchema = text(190).min(1);
const questionSchema = text(MAX_CONTENT_CHARACTERS).trim().min(1);

interface Asked {
  readonly question: string;
  readonly idempotencyKey: string;
}

/**
 * Begins the turn that is the task of a message, in a new chat or in its context, with its push notification config if
 * it has one. The same message again is the same task.
 */
export async function beginTask(deps: TaskDeps, { message, configuration }: SendMessageRequest): Promise<TaskRef> {
  const { context, caller, agentId } = deps;
  const pushed = configuration?.taskPushNotificationConfig;
  const config = pushed && checkConfig(deps, pushed);
  checkHistoryLength(configuration ?? {});
  if (message === undefined) throw new RequestMalformedError('message is missing');
  if (message.taskId !== '') await refuseMore(deps, message);
  const asked = readMessage(message);
  const { question } = asked;
  const turn =
    message.contextId === ''
      ? await beginConversation(context, caller, {
          agentId,
          ...asked,
          conversation: { past: [], question },
          opening: question,
        })
      : await goOn(deps, message.contextId, asked);
  const ref = { id: turn.turnId, chatId: turn.chatId };
  if (config !== undefined) await storeConfig(deps, ref, config);
  return ref;
}

function readMessage({ messageId, parts }: Message): Asked {
  const key = messageIdSchema.safeParse(messageId);
  if (!key.success) throw new RequestMalformedError('message.messageId must have 1 to 190 characters');
  const question = questionSchema.safeParse(parts.map(textOf).join('\n\n'));
  if (!question.success)
    throw new RequestMalformedError(`message.parts: ${question.error.issues[0]?.message ?? 'must be text'}`);
  // Those of clients of other protocols are other keys.
  return { question: question.data, idempotencyKey: `a2a ${key.data}` };
}

function textOf({ content }: Part): string {
  if (content?.$case === 'text') return content.value;
  if (content?.$case === 'data') return JSON.stringify(content.value, null, 2);
  throw new ContentTypeNotSupportedError('Only parts with text or data are taken');
}

async function goOn(
  { context, caller, agentId }: TaskDeps,
  contextId: string,
  { question, idempotencyKey }: Asked,
): Promise<CompletionTurn> {
  const known = idSchema.safeParse(contextId);
  const chat = known.success ? await findOwnChat(context, caller, known.data) : undefined;
  if (chat?.agentId !== agentId)
    throw new RequestMalformedError('contextId must be that of a task of yours with this agent');
  const accepted = await acceptInChat(context, caller, { chatId: chat.id, question, idempotencyKey });
  return beginTurn(context, caller, accepted, question);
}

async function findOwnChat(context: TaskDeps['context'], caller: TaskDeps['caller'], id: string) {
  try {
    return await getOwnChat(context, caller, id);
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'forbidden')) return undefined;
    throw error;
  }
}

// A running turn accepts no further messages: a new message would start another turn behind it.
async function refuseMore(deps: TaskDeps, { taskId, contextId }: Message): Promise<never> {
  const { chatId, state } = await findTask(deps, taskId);
  if (contextId !== '' && contextId.toLowerCase() !== chatId)
    throw new RequestMalformedError('contextId must be that of the task');
  if (state === 'input_required')
    throw new UnsupportedOperationError('A person decides about this task, in the approvals of Everturn');
  throw new UnsupportedOperationError(
    'A task takes one message: leave taskId out, and begin another task in the same context by contextId',
  );
}
