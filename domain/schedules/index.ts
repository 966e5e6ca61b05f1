export { dayOnClock, instantOnClock, isTimeZone, meetsClockChange } from './cron.ts';
export {
  decideSlot,
  isOneAtATime,
  type MissedSlots,
  type Overlap,
  OVERLAPS,
  SCHEDULE_RUN_STATUSES,
  SCHEDULE_RUN_TRIGGERS,
  type ScheduleRunStatus,
  type ScheduleRunTrigger,
  WORKFLOW_OVERLAPS,
  type WorkflowOverlap,
} from './decide-slot.ts';
export {
  jitteredTime,
  MAX_INTERVAL_MINUTES,
  nextSlot,
  nextSlots,
  replaceKind,
  requireTiming,
  requireZone,
  type ScheduleSpec,
  scheduleSpecOf,
  slotsBetween,
  type Timing,
  type TimingIssue,
  timingIssue,
} from './timing.ts';
