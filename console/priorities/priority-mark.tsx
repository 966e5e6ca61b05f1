import { ChevronDown, ChevronsUp, ChevronUp, Equal } from 'lucide-react';
import type { Priority } from '../../domain/priorities/index.ts';
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
      <span className={isNamed ? undefined : classes.hidden}>{name}</span>
    </span>
  );
}
