/** The states of a schedule's run. */
export const SCHEDULE_RUN_STATUSES = ['running', 'completed', 'failed'] as const;

export type ScheduleRunStatus = (typeof SCHEDULE_RUN_STATUSES)[number];

/** What starts a run of a schedule: its slot, a person, or an agent. */
export const SCHEDULE_RUN_TRIGGERS = ['cron', 'manual', 'agent'] as const;

export type ScheduleRunTrigger = (typeof SCHEDULE_RUN_TRIGGERS)[number];
