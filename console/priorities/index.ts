export { byUrgency, PRIORITY_CHOICES } from './by-urgency.ts';
export { PriorityMark } from './priority-mark.tsx';
export { usePrioritiesText } from './text.ts';
