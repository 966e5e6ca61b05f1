/** Characters of a task's title, and of what is to be done or has come out of it. */
export const MAX_TASK_TITLE_CHARACTERS = 500;
export const MAX_TASK_TEXT_CHARACTERS = 20_000;
