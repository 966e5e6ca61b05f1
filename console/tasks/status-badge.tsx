import type { TaskStatus } from '../../domain/tasks/index.ts';
import { Badge } from '../ui/page/badge.tsx';
import { useTaskWords } from './words.ts';

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
