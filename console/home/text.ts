import { count } from '../core/text/formats.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what the home page says, in the language of the page. */
export const useHomeText = ownText({
  en: {
    hello: (name: string) => (name === '' ? 'Hello' : `Hello, ${name}`),
    attention: 'Needs your attention',
    calm: 'All clear. Decisions that wait for you, providers that fail, runs that failed in the last day and chats that wait for a provider are shown here.',
    asked: (agent: string, call: string) => `${agent}: ${call}`,
    waits: (step: string) => `${step} waits to begin`,
    decision: 'decision',
    moreDecisions: (n: number) => `${count(n, 'more decision waits', 'more decisions wait')} in the inbox`,
    failed: 'failed',
    failing: 'failing',
    off: 'disabled',
    failingCount: (n: number) => `${count(n, 'provider is', 'providers are')} failing`,
    disabled: (n: number) => `${count(n, 'provider', 'providers')} cannot be used`,
    running: 'Running now',
    recent: 'Recent chats',
    newChat: 'New chat',
    agents: 'Start a chat with',
    noChats: 'No chats yet',
    noChatsWhy: 'A chat with an agent is where work begins.',
    untitled: 'Untitled chat',
    status: { idle: 'idle', running: 'running', waiting: 'waiting' },
  },
});
