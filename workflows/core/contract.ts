/** Queue of all workflows and activities: an activity on the queue of its workflow is dispatched with its answer. */
export const TASK_QUEUE = 'everturn';
