/** What begins chats that stand by themselves: a person, a program by chat completions, a run, or work on an issue. */
export const ROOT_CHAT_ORIGINS = ['person', 'program', 'workflow', 'schedule', 'issue'] as const;

/** What begins chats; an agent begins those of its sub-agents. */
export const CHAT_ORIGINS = [...ROOT_CHAT_ORIGINS, 'agent'] as const;

export type ChatOrigin = (typeof CHAT_ORIGINS)[number];
