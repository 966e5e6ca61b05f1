/**
 * The queue of all workflows and activities. On one queue, an activity is dispatched together with the workflow task's
 * result.
 */
export const TASK_QUEUE = 'everturn';
