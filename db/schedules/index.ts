export {
  findOverdueSlots,
  findUnappliedSchedules,
  forgetAppliedSchedules,
  type OverdueSlot,
  scheduleRows,
} from './firing/applied.ts';
export { forgetApplied, readSchedulesAfter, readScheduleIds, type StoredSchedule } from './firing/compared.ts';
export { backfillSchedule } from './backfill.ts';
export { fireSchedule } from './firing/fire-schedule.ts';
export {
  changeWorkflowTimes,
  followWorkflow,
  lockWorkflowSchedule,
  readWorkflowSchedules,
  timesOfWorkflow,
  type WorkflowTimes,
} from './of-workflow.ts';
export { addScheduleFor, findAddedSchedule, listSchedulesOf } from './of-user.ts';
export { readLastRuns } from './last-runs.ts';
export { getScheduleRun, listScheduleRuns, requestScheduleRunInterrupt, scheduleRunIsVisible } from './runs.ts';
export { Schedule } from './schedule.entity.ts';
export {
  createSchedule,
  deleteSchedule,
  getSchedule,
  listSchedules,
  lockSchedule,
  type NewSchedule,
  SCHEDULE_DEFAULTS,
  type ScheduleChanges,
  type ScheduleFields,
  setScheduleActive,
  updateSchedule,
} from './schedules.ts';
export { triggerSchedule } from './trigger-schedule.ts';
