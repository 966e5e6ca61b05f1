import { PRIORITIES, type Priority } from '../../domain/priorities/index.ts';

/** The priorities to choose from, the most urgent first. */
export const PRIORITY_CHOICES: readonly Priority[] = PRIORITIES.toReversed();

interface Aged {
  readonly priority: Priority;
  readonly created_at: string;
}

/** Compares by priority, the most urgent first, then by age, the oldest first. */
export function byUrgency(one: Aged, other: Aged): number {
  const more = PRIORITIES.indexOf(other.priority) - PRIORITIES.indexOf(one.priority);
  if (more !== 0) return more;
  if (one.created_at === other.created_at) return 0;
  return one.created_at < other.created_at ? -1 : 1;
}
