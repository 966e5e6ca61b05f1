import { ownText } from '../core/text/text-context.tsx';

/** Returns what the home page says, in the language of the page. */
export const useHomeText = ownText({
  en: {
    hello: (name: string) => (name === '' ? 'Hello' : `Hello, ${name}`),
    waiting: 'Waiting for a decision',
    noWaiting: 'Nothing waits for you.',
    atWork: 'At work now',
    waitingUntil: (time: string) => `waits until ${time}`,
    failed: 'Failed runs',
    allFailed: 'All failed runs',
    noReason: 'No reason was told.',
    recent: 'Recent chats',
    noChats: 'No chats yet',
    noChatsWhy: 'A chat with an agent is where work begins.',
    asked: (agent: string, tool: string) => `${agent} asks to run ${tool}`,
    untitled: 'Untitled chat',
    status: { idle: 'idle', running: 'running', waiting: 'waiting' },
  },
});
