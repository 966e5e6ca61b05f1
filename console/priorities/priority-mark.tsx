import { ChevronDown, ChevronsUp, ChevronUp, Equal } from 'lucide-react';
import { type Priority, PRIORITIES } from '../../domain/priorities.ts';
import classes from './priority-mark.module.css';
import { usePrioritiesText } from './text.ts';

const ICONS = { low: ChevronDown, medium: Equal, high: ChevronUp, urgent: ChevronsUp } as const;

interface PriorityMarkProps {
  readonly priority: Priority;
  /** Whether the word stands beside the sign. */
  readonly isNamed?: boolean;
}

/** A sign for a priority, with its word for those who do not see it. */
export function PriorityMark({ priority, isNamed = false }: PriorityMarkProps) {
  const text = usePrioritiesText();
  const [Icon, name] = [ICONS[priority], text.names[priority]];
  return (
    <span className={classes.mark} data-priority={priority} title={`${text.label}: ${name}`}>
      <Icon aria-hidden />
      <span className={isNamed ? undefined : 'hidden'}>{name}</span>
    </span>
  );
}

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
