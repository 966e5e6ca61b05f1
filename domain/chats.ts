import { firstLine } from './core/text.ts';

/** The origins of chats without a parent: a person, a program by chat completions, a run, or work on an issue. */
export const ROOT_CHAT_ORIGINS = ['person', 'program', 'workflow', 'schedule', 'issue'] as const;

/** The origins of chats; those of sub-agents are created by agents. */
export const CHAT_ORIGINS = [...ROOT_CHAT_ORIGINS, 'agent'] as const;

export type ChatOrigin = (typeof CHAT_ORIGINS)[number];

/** The title of a chat without one, until its first message is stored. */
export const UNTITLED = 'New Chat';

const MAX_CHARACTERS = 80;

/** Returns the title that a chat without one gets from its first message: the beginning of its first line. */
export function titleFrom(message: string): string {
  return firstLine(message, MAX_CHARACTERS) || UNTITLED;
}
