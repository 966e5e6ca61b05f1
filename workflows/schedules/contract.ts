import type { ScheduleKey } from '../../domain/core/due-work.ts';

/** The type of the workflow that a slot of a schedule starts. */
export const SCHEDULE_SLOT = 'scheduleSlot';

/** Temporal's note on a Schedule that is paused because the row is not active. */
export const NOT_ACTIVE = 'The schedule is not active.';

/** A Temporal Schedule of a schedule. */
export interface TemporalSchedule extends ScheduleKey {
  /** The installation whose Schedule it is, as far as its memo says. */
  readonly installationId: string | undefined;
  readonly isPaused: boolean;
}

export interface DecideSlotsInput extends ScheduleKey {
  /** The slot of the workflow, in milliseconds. */
  readonly slot: number;
}

/** Whether all slots that have come are decided, and how long to wait before the rest. */
export interface DecideSlotsResult {
  readonly hasEnded: boolean;
  readonly waitMs: number;
}

/** Returns the id of a schedule's Temporal Schedule. */
export function temporalScheduleId({ orgId, scheduleId }: ScheduleKey): string {
  return `${temporalSchedulesOf(orgId)}${scheduleId}`;
}

/** Returns what the ids of the Temporal Schedules of an organization begin with, or those of all organizations. */
export function temporalSchedulesOf(orgId?: string): string {
  return orgId === undefined ? 'schedule/' : `schedule/${orgId}/`;
}

/** Returns the schedule of a Temporal Schedule; `undefined` when the id is none that `temporalScheduleId` makes. */
export function scheduleOfId(id: string): ScheduleKey | undefined {
  const [, orgId, scheduleId] = /^schedule\/([0-9a-f-]{36})\/([0-9a-f-]{36})$/.exec(id) ?? [];
  return orgId === undefined || scheduleId === undefined ? undefined : { orgId, scheduleId };
}

/** Returns the workflow id of a schedule's slots, to which Temporal appends a hyphen and the slot. */
export function scheduleSlotsId({ orgId, scheduleId }: ScheduleKey): string {
  return `slot/${orgId}/${scheduleId}`;
}

/** Returns the id of a slot's workflow, in Temporal's format: it runs once at a time, whatever starts it. */
export function scheduleSlotId(schedule: ScheduleKey, slot: number): string {
  const [seconds = ''] = new Date(slot).toISOString().split('.');
  return `${scheduleSlotsId(schedule)}-${seconds}Z`;
}

/** Returns the slot that the id of a workflow ends with, in milliseconds; `NaN` when it ends with none. */
export function slotOfId(schedule: ScheduleKey, workflowId: string): number {
  return Date.parse(workflowId.slice(scheduleSlotsId(schedule).length + 1));
}
