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
    hint: 'Write at least two characters. Use "quotation marks" for an exact phrase.',
    messages: 'Messages',
    agents: 'Agents',
    issues: 'Issues',
    none: (query: string) => `Nothing has “${query}” in it`,
    searched: 'Searched the messages of your chats and of chats shared with you.',
    searchedAgents: 'Also searched the names and descriptions of agents.',
    searchedIssues: 'Also searched the issues of projects.',
    found: (n: number) => `${formatNumber(n)} found`,
    you: 'You',
    agent: 'Agent',
    untitled: 'Untitled chat',
  },
});
