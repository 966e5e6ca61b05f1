import { z } from 'zod';

const contentPartSchema = z.looseObject({ type: z.string(), text: z.string().optional() });

const toolCallSchema = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

const chatMessageSchema = z.looseObject({
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(contentPartSchema)]).nullish(),
  tool_calls: z.array(toolCallSchema).min(1).optional(),
  tool_call_id: z.string().optional(),
});

/**
 * The part of a chat completion request that the scripted model looks at. Other fields pass through to the journal.
 * Source: OpenAI API reference, "Create chat completion", https://platform.openai.com/docs/api-reference/chat/create
 */
export const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(chatMessageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  tools: z.array(z.unknown()).min(1).nullish(),
});

export type ChatMessage = z.infer<typeof chatMessageSchema>;
export type ChatRequest = z.infer<typeof chatRequestSchema>;

/** Returns the text of a message; the text parts of a multi-part message, joined. */
export function textOf(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content;
  return (message.content ?? []).map((part) => part.text ?? '').join('');
}

/** Returns the index of a user's newest message, or -1; results of fenced calls do not count. */
export function newestUserIndex(messages: readonly ChatMessage[]): number {
  return messages.findLastIndex((message) => message.role === 'user' && !/^`{3,}tool_result\n/.test(textOf(message)));
}

/** Returns the prompt side of the usage: the words of all messages. Deterministic, so tests can assert it. */
export function countPromptTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + countWords(textOf(message)), 0);
}

function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
