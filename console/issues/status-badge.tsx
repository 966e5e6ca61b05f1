import type { IssueStatus } from '../../domain/issues.ts';
import { ownText } from '../core/text/text-context.tsx';
import { Badge } from '../ui/page/page.tsx';

const TONES = {
  backlog: 'calm',
  todo: 'calm',
  in_progress: 'warn',
  in_review: 'warn',
  done: 'good',
  cancelled: 'calm',
} as const;

/** The status of an issue. */
export function IssueStatusBadge({ status }: { readonly status: IssueStatus }) {
  const text = useIssueWords();
  return <Badge tone={TONES[status]}>{text.status[status]}</Badge>;
}

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
