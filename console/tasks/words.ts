import { ownText } from '../core/text/text-context.tsx';

/** Returns what tasks are called wherever they are shown, in the language of the page. */
export const useTaskWords = ownText({
  en: {
    status: {
      pending: 'Pending',
      in_progress: 'In progress',
      completed: 'Completed',
      failed: 'Failed',
      interrupted: 'Interrupted',
      cancelled: 'Cancelled',
    },
  },
});
