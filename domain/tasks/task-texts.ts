import { nameText, text } from '../core/text.ts';

/** Characters of what is to be done for a task or has come out of it. */
export const MAX_TASK_TEXT_CHARACTERS = 20_000;

/** A task's title. */
export const taskTitle = nameText(500);

/** What is to be done for a task, or has come out of it. */
export const taskText = text(MAX_TASK_TEXT_CHARACTERS);
