export { meetsClockChange } from './clock-changes.ts';
export { decideSlot } from './decide-slot.ts';
export { jitteredTime } from './jitter.ts';
export { isOneAtATime, type Overlap, OVERLAPS, WORKFLOW_OVERLAPS, type WorkflowOverlap } from './overlap.ts';
export { type ScheduleSpec, scheduleSpecOf } from './schedule-spec.ts';
export {
  SCHEDULE_RUN_STATUSES,
  SCHEDULE_RUN_TRIGGERS,
  type ScheduleRunStatus,
  type ScheduleRunTrigger,
} from './schedule-run.ts';
export {
  MAX_INTERVAL_MINUTES,
  nextSlot,
  nextSlots,
  replaceKind,
  requireTiming,
  requireZone,
  slotsBetween,
  type Timing,
  type TimingIssue,
  timingIssue,
} from './timing.ts';
