import type { WireRequest } from './wire-server.ts';

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly text?: string;
  readonly name?: string;
  readonly cache_control?: unknown;
}
interface Message {
  readonly role: string;
  readonly content: readonly Block[];
}

/**
 * Returns why Anthropic's Messages API would respond with 400, or undefined: roles out of turn, calls without their
 * results right after, empty texts, invalid names and ids, too many cache marks.
 */
export function messagesIssue({ headers, body }: WireRequest): string | undefined {
  if (headers['anthropic-version'] !== '2023-06-01') return 'anthropic-version: header is required';
  if (typeof body['max_tokens'] !== 'number') return 'max_tokens: Field required';
  const messages = body['messages'] as readonly Message[];
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (JSON.stringify(body).split('cache_control').length - 1 > 4) return 'A maximum of 4 blocks with cache_control';
  return (
    messages.map((message, at) => messageIssue(messages[at - 1], message, at)).find((issue) => issue !== undefined) ??
    openCallsIssue(messages.at(-1))
  );
}

function messageIssue(before: Message | undefined, message: Message, at: number): string | undefined {
  if (before?.role === message.role) return `messages.${at}: roles must alternate`;
  if (message.content.length === 0) return `messages.${at}: all messages must have non-empty content`;
  const asked = before?.content.flatMap((block) => (block.type === 'tool_use' ? block.id : [])) ?? [];
  const answered = message.content.flatMap((block) => (block.type === 'tool_result' ? block.tool_use_id : []));
  if (asked.join() !== answered.join()) return `messages.${at}: tool_use ids without tool_result`;
  const firstOther = message.content.findIndex(({ type }) => type !== 'tool_result');
  if (firstOther >= 0 && firstOther < answered.length) return `messages.${at}: tool_result blocks must come first`;
  return message.content.map(blockIssue).find((issue) => issue !== undefined);
}

function blockIssue({ type, id, name, text, cache_control: mark }: Block): string | undefined {
  if (type === 'text' && text?.trim() === '') return 'text content blocks must contain non-whitespace text';
  if (type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(id ?? '')) return 'tool_use.id: String should match pattern';
  if (type === 'tool_use' && !/^[a-zA-Z0-9_-]{1,128}$/.test(name ?? '')) return 'tool_use.name: should match pattern';
  return type.endsWith('thinking') && mark !== undefined ? 'thinking blocks cannot be marked' : undefined;
}

function openCallsIssue(last: Message | undefined): string | undefined {
  return last?.content.some(({ type }) => type === 'tool_use') === true ? 'tool_use without tool_result' : undefined;
}
