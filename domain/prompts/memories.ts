import { defuseFences } from '../tool-calls/index.ts';

/** A memory as a prompt shows it. */
export interface PromptMemory {
  readonly type: string;
  readonly content: string;
}

// The statement that reads them knows this bound too.
const MAX_MEMORY_CHARACTERS = 4_000;

const HEADING = `# Memories

What you have kept from earlier conversations, the most important first. It may be out of date: what people say now comes first.`;

/**
 * Writes the memories' part of the system prompt, in their order up to `MAX_MEMORY_CHARACTERS`; '' when there are none.
 * A memory is shown whole or not at all.
 */
export function describeMemories(memories: readonly PromptMemory[]): string {
  const lines: string[] = [];
  let left = MAX_MEMORY_CHARACTERS;
  for (const { type, content } of memories) {
    const line = `- ${type}: ${content.trim().replaceAll(/\n/g, '\n  ')}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? '' : defuseFences(`${HEADING}\n\n${lines.join('\n')}`);
}
