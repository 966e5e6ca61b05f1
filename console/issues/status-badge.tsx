import type { IssueStatus } from '../../domain/issues/index.ts';
import { Badge } from '../ui/page/badge.tsx';
import { useIssueWords } from './words.ts';

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
