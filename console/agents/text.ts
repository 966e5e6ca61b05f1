import { count } from '../core/text/numbers.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what the pages of agents say, in the language of the page. */
export const useAgentsText = ownText({
  en: {
    title: 'Agents',
    empty: 'No agents yet',
    emptyWhy: 'An agent has a prompt, tools and a model. A template is the quickest start.',
    fromTemplate: 'Add from a template',
    add: 'Add an agent',
    adding: 'Adding',
    added: (name: string) => `${name} was added`,
    name: 'Name',
    tools: 'Tools',
    state: 'State',
    active: 'active',
    inactive: 'off',
    changed: 'Changed',
    toolCount: (n: number) => count(n, 'tool', 'tools'),
    skillCount: (n: number) => count(n, 'skill', 'skills'),
    filter: 'Filter by name',
    none: 'No agent has this in its name or description.',
  },
});

/** What the pages of agents say. */
export type AgentsText = ReturnType<typeof useAgentsText>;
