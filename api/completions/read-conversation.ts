import { type ClientConversation, type ClientMessage, toConversation } from '../../domain/completions/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { MAX_CONTENT_CHARACTERS } from '../../domain/turns/index.ts';
import { fieldIssue } from '../http/problem.ts';

const MAX_KEY_CHARACTERS = 200;

/** Returns the conversation of a request, whose messages are in `field`; throws unless it ends with a question. */
export function readConversation(field: string, messages: readonly ClientMessage[]): ClientConversation {
  const conversation = toConversation(messages);
  if (conversation === undefined) throw fieldIssue(field, 'must end with a message of the user');
  if (conversation.question.trim() === '') throw fieldIssue(field, 'must end with a message that is not empty');
  if (conversation.question.length > MAX_CONTENT_CHARACTERS)
    throw fieldIssue(field, `the last message is longer than ${MAX_CONTENT_CHARACTERS} characters`);
  return conversation;
}

/** A part of a message: a text, or why there is none. */
type MessagePart = { readonly text: string } | { readonly refusal: string };

/** Returns the text of a message, which may come in parts. */
export function textOf(content: string | readonly MessagePart[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => ('refusal' in part ? part.refusal : part.text)).join('\n');
}

/** Returns the first words of the user, for the title of a chat. */
export function openingOf(messages: readonly ClientMessage[]): string {
  return messages.find(({ role }) => role === 'user')?.text ?? '';
}

/** Returns the `Idempotency-Key` of a request; throws when it cannot be kept. */
export function checkKey(key: string | undefined): string | undefined {
  if (key !== undefined && (key === '' || key.length > MAX_KEY_CHARACTERS))
    throw new AppError('invalid', `Idempotency-Key must have 1 to ${MAX_KEY_CHARACTERS} characters`);
  return key;
}
