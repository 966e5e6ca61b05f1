import { ownText } from '../core/text/text-context.tsx';

/** Returns what the home page say, in the language of the page. */
export const useHomeText = ownText({
  en: {
    hello: (name: string) => (name === '' ? 'Hello' : `Hello, ${name}`),
    waiting: 'Waiting for a decision',
    noWaiting: 'Nothing waits for you.',
    recent: 'Recent chats',
    newChat: 'New chat',
    noChats: 'No chats yet',
    noChatsWhy: 'A chat with an agent is where work begins.',
    asked: (agent: string, tool: string) => `${agent} asks to run ${tool}`,
    untitled: 'Untitled chat',
    status: { idle: 'idle', running: 'running', waiting: 'waiting' },
  },
});
