import { count, formatNumber } from '../core/text/formats.ts';
import { ownText } from '../core/text/text-context.tsx';

/** Returns what the board says, in the language of the page. */
export const useBoardText = ownText({
  en: {
    title: 'Board',
    of: { label: 'What the board shows', issues: 'Issues', tasks: 'Tasks' },
    project: 'Project',
    agent: 'Agent',
    labelled: 'Labels',
    forbidden: 'You may not see issues or tasks',
    anyProject: 'All projects',
    search: 'Filter by words',
    withoutProject: 'No project yet',
    withoutProjectWhy: 'A board shows the issues of projects, and the tasks in their chats.',
    live: 'Live',
    liveWhy: 'Changes of others appear automatically',
    notLive: 'Not live',
    notLiveWhy: 'The connection was lost: the board is refreshed every ten seconds until it is back',
    keys: 'Arrow keys go from card to card. Space picks up a card, arrow keys move it, Space drops it, Escape puts it back. Brackets move it to the next column.',
    column: (title: string, total: number) => `${title}, ${count(total, 'card', 'cards')}`,
    addTo: (column: string) => `Add to ${column}`,
    add: 'Add to the column',
    move: (title: string) => `Move ${title}`,
    moveTo: 'Move to',
    position: (column: string, index: number, total: number) =>
      `${column}, ${formatNumber(index)} of ${formatNumber(total)}`,
    lifted: (title: string, position: string) => `Lifted ${title}: ${position}`,
    dropped: (title: string, position: string) => `Dropped ${title}: ${position}`,
    putBack: (title: string) => `${title} is back where it was`,
    refused: (title: string, why: string) => `${title} could not be moved: ${why}`,
    partOf: 'part of a task',
    forIssue: 'for an issue',
    waitsFor: (n: number) => `waits for ${count(n, 'task', 'tasks')}`,
    attempts: (n: number) => `attempt ${formatNumber(n)}`,
    peek: { issue: 'Issue', task: 'Task', open: 'Open', noDescription: 'No description.' },
  },
});
