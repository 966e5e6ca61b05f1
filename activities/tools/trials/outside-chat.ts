import type { ToolContext } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';

const PARTS = [
  'memories',
  'knowledge',
  'issues',
  'tasks',
  'schedules',
  'workflows',
  'broadcasts',
  'agents',
  'tools',
  'skills',
  'media',
] as const satisfies readonly (keyof ToolContext)[];

/**
 * Replaces the parts of a context that belong to a chat, or act in the name of its agent: a call outside of chats that
 * asks for one of them fails. Tools say so themselves (`onlyInChats`); this holds for one that forgets it.
 */
export function outsideChat(context: ToolContext): ToolContext {
  return { ...context, ...Object.fromEntries(PARTS.map((part) => [part, REFUSING])) };
}

const REFUSING: unknown = new Proxy(
  {},
  {
    get: () => {
      throw new ToolFailure('denied', 'This can be done in a chat only');
    },
  },
);
