import { nameText, text } from '../core/text.ts';

/** Characters of what is to be done for a task or has come out of it. */
export const MAX_TASK_TEXT_CHARACTERS = 20_000;

// Functions, so that the console does not load the library of schemas for the states of a task.

/** Makes a schema for a task's title. */
export const taskTitle = () => nameText(500);

/** Makes a schema for what is to be done for a task, or has come out of it. */
export const taskText = () => text(MAX_TASK_TEXT_CHARACTERS);
