/** The priorities of issues and tasks, lowest first. */
export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const;

export type Priority = (typeof PRIORITIES)[number];

export const DEFAULT_PRIORITY: Priority = 'medium';
