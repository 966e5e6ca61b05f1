/**
 * The queue of all workflows and activities. On one queue, an activity is dispatched together with the workflow task's
 * result.
 */
export const TASK_QUEUE = 'everturn';

/** The signal that tells a workflow to read its rows again: they hold the news, so it carries nothing. */
export const WAKE = 'wake';
