import { ownText } from '../core/text/text-context.tsx';

/** Returns what the trash says, in the language of the page. */
export const useTrashText = ownText({
  en: {
    title: 'Trash',
    lead: 'Deleted items that you can restore, with everything that belongs to them.',
    kinds: 'Kinds of records',
    chats: 'Chats',
    agents: 'Agents',
    providers: 'Provider accounts',
    projects: 'Projects',
    kept: {
      chats: 'Your own chats. Nobody else can restore them.',
      agents: 'Agents stay here until they are restored.',
      providers: 'Accounts stay here, with their keys, until they are restored or deleted permanently.',
      projects: 'Projects stay here, with their issues, chats and tasks, until they are restored.',
    },
    empty: {
      chats: 'No deleted chats',
      agents: 'No deleted agents',
      providers: 'No deleted provider accounts',
      projects: 'No deleted projects',
    },
    emptyWhy: 'Deleted items stay here until you restore them.',
    untitled: 'Untitled chat',
    name: 'Name',
    deleted: 'Deleted',
    by: 'By',
    byYou: 'you',
    byGone: 'a former member',
    notKnown: 'unknown',
    goneForGood: 'Deleted permanently',
    never: 'never',
    soon: 'any moment',
    actions: 'Actions',
    restore: 'Restore',
    restoreNamed: (name: string) => `Restore ${name}`,
    restored: (name: string) => `${name} is back`,
    open: 'Open',
    purge: 'Delete permanently',
    purgeNamed: (name: string) => `Delete permanently: ${name}`,
    purgeAsk: (name: string) => `Delete ${name} permanently?`,
    purgeWhy: 'The account and its key are removed. This cannot be undone.',
    purged: (name: string) => `${name} was deleted permanently`,
  },
});

/** What the trash says. */
export type TrashText = ReturnType<typeof useTrashText>;
