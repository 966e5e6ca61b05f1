import { formatNumber } from '../core/text/formats.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what the search says, in the language of the page. */
export const useSearchText = ownText({
  en: {
    title: 'Search',
    field: (agents: boolean, issues: boolean) => {
      if (agents && issues) return 'Search messages, agents and issues';
      return `Search messages${agents ? ' and agents' : ''}${issues ? ' and issues' : ''}`;
    },
    hint: 'Write at least two characters. Words in "quotation marks" are found next to each other.',
    messages: 'Messages',
    agents: 'Agents',
    issues: 'Issues',
    none: (query: string) => `Nothing has “${query}” in it`,
    lookedAt: 'Looked at the messages of your chats and of those that are shared with you.',
    lookedAtAgents: 'Looked at the names and descriptions of agents, too.',
    lookedAtIssues: 'Looked at the issues of projects, too.',
    found: (n: number) => `${formatNumber(n)} found`,
    you: 'You',
    agent: 'Agent',
    untitled: 'Untitled chat',
  },
});
