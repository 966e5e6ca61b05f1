import type { TaskStatus } from '../../domain/tasks.ts';
import { ownText } from '../core/text/text-context.tsx';
import { Badge } from '../ui/page/page.tsx';

const TONES = {
  pending: 'calm',
  in_progress: 'warn',
  completed: 'good',
  failed: 'danger',
  interrupted: 'calm',
  cancelled: 'calm',
} as const;

/** The status of a task. */
export function TaskStatusBadge({ status }: { readonly status: TaskStatus }) {
  const text = useTaskWords();
  return <Badge tone={TONES[status]}>{text.status[status]}</Badge>;
}

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
