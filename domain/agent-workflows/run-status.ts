/** The states of a run, from when it is triggered. The last three are its ends. */
export const RUN_STATUSES = ['queued', 'running', 'waiting', 'completed', 'failed', 'interrupted'] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** How a run can end. */
export type FinalRunStatus = Extract<RunStatus, 'completed' | 'failed' | 'interrupted'>;

/** What starts a run. */
export const RUN_TRIGGERS = ['manual', 'webhook', 'schedule', 'agent'] as const;

export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** What a workflow is for: being started by hand alone, by its webhook, or by a schedule. */
export const TRIGGER_TYPES = ['manual', 'webhook', 'schedule'] as const;

export type TriggerType = (typeof TRIGGER_TYPES)[number];
