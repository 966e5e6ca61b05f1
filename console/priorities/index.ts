export { byUrgency, PRIORITY_CHOICES, PriorityMark } from './priority-mark.tsx';
export { usePrioritiesText } from './text.ts';
