import type { ModelMessage } from '../../../domain/transcripts/index.ts';

/** A transcript for a program that takes one text. */
export interface TranscriptText {
  readonly systemPrompt: string;
  readonly prompt: string;
}

const GO_ON = `Below is a conversation so far, oldest message first. Write the assistant's next message, and nothing but
its text.`;

/** Returns a transcript as two texts: what the model is told of its role, and the conversation. */
export function transcriptText(messages: readonly ModelMessage[]): TranscriptText {
  const said = messages.filter(({ role }) => role !== 'system');
  const systemPrompt = messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n');
  const [only] = said;
  if (said.length === 1 && only?.role === 'user') return { systemPrompt, prompt: only.content };
  return { systemPrompt, prompt: [GO_ON, ...said.map(elementOf)].join('\n\n') };
}

/**
 * Returns a text in which no `@` names a file: these programs read what such a name leads to, their credentials too,
 * whoever has written it. A mark that nobody sees stands behind each.
 */
export function withoutFileNames(text: string): string {
  return text.replaceAll(/@(?=\S)/g, '@\u2060');
}

function elementOf(message: ModelMessage): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const called = calls.map(({ name, arguments: args }) => `[called ${name} with ${JSON.stringify(args)}]`);
  const by = message.role === 'tool' ? `tool" name="${message.name}` : message.role;
  const text = [message.content, ...called].filter((part) => part !== '').join('\n');
  // A text must not look as if it ended, and another one began.
  return `<message role="${by}">\n${text.replaceAll('</message', '<\\/message')}\n</message>`;
}
