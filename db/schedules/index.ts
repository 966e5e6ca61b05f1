export {
  findOverdueSlots,
  findUnappliedSchedules,
  forgetAppliedSchedules,
  type OverdueSlot,
  scheduleRows,
  forgetApplied,
  readSchedulesAfter,
  readScheduleIds,
  type StoredSchedule,
} from './firing/applied.ts';
export { backfillSchedule, triggerSchedule } from './begin-runs.ts';
export { fireSchedule } from './firing/fire-schedule.ts';
export {
  changeWorkflowTimes,
  followWorkflow,
  lockWorkflowSchedule,
  readWorkflowSchedules,
  timesOfWorkflow,
  type WorkflowTimes,
} from './workflow-schedule.ts';
export {
  addScheduleFor,
  findAddedSchedule,
  listSchedulesOf,
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
  type ShownSchedule,
  updateSchedule,
} from './schedules.ts';
export {
  readLastRuns,
  getScheduleRun,
  listScheduleRuns,
  requestScheduleRunInterrupt,
  scheduleRunIsVisible,
} from './runs.ts';
export { Schedule } from './schedule.entity.ts';
