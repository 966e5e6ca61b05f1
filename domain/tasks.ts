import { nameText, text } from './core/text.ts';

/** The states of a task, in the order of the board's columns. */
export const TASK_STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'interrupted', 'cancelled'] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** The states that a person may give a task that no agent is working on. Only an interrupt makes `interrupted`. */
const TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  pending: ['in_progress', 'completed', 'cancelled'],
  in_progress: ['pending', 'completed', 'failed', 'cancelled'],
  completed: ['pending'],
  failed: ['pending'],
  interrupted: ['pending'],
  cancelled: ['pending'],
};

/** Returns the states that may follow another one by hand. */
export function statusesAfter(status: TaskStatus): readonly TaskStatus[] {
  return TRANSITIONS[status];
}

/** Returns whether nothing more is done for a task in this state unless it is tried again. */
export function isEnded(status: TaskStatus): boolean {
  return status !== 'pending' && status !== 'in_progress';
}

/** Characters of what is to be done for a task or has come out of it. */
export const MAX_TASK_TEXT_CHARACTERS = 20_000;

// Functions, so that the console does not load the library of schemas for the states of a task.

/** Makes a schema for a task's title. */
export const taskTitle = () => nameText(500);

/** Makes a schema for what is to be done for a task, or has come out of it. */
export const taskText = () => text(MAX_TASK_TEXT_CHARACTERS);
