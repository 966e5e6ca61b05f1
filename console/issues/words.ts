import { ownText } from '../core/text/text-context.tsx';

/** Returns what issues are called wherever they are shown, in the language of the page. */
export const useIssueWords = ownText({
  en: {
    status: {
      backlog: 'Backlog',
      todo: 'To do',
      in_progress: 'In progress',
      in_review: 'In review',
      done: 'Done',
      cancelled: 'Cancelled',
    },
  },
});
