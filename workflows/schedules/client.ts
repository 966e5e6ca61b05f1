import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { ScheduleKey } from '../../domain/core/due-work.ts';
import type { ScheduleSpec } from '../../domain/schedules/timing.ts';
import { startDetached, withinDeadline } from '../core/client.ts';
import { TASK_QUEUE } from '../core/contract.ts';
import {
  NOT_ACTIVE,
  SCHEDULE_SLOT,
  scheduleOfId,
  scheduleSlotId,
  scheduleSlotsId,
  temporalScheduleId,
  type TemporalSchedule,
  temporalSchedulesOf,
} from './contract.ts';

/** The definition of a schedule's Temporal Schedule, from its row. */
export interface ScheduleDefinition {
  /** The version of the row. */
  readonly version: number;
  /** The installation that it belongs to, as its memo says for good. */
  readonly installationId: string;
  readonly spec: ScheduleSpec;
  readonly isActive: boolean;
  /** For how long a slot may be fired late, in milliseconds. */
  readonly catchupMs: number;
  /** Whose share of the workers its slots take. */
  readonly fairnessKey: string;
  /** Whether there has been none yet, as far as is known. */
  readonly isNew: boolean;
}

/** The rows of schedules. */
export interface ScheduleRows {
  /** Returns what the Temporal Schedule of a schedule is to be made of; `undefined` when there is no such schedule. */
  read(schedule: ScheduleKey): Promise<ScheduleDefinition | undefined>;
  /** Records that the Temporal Schedule is that of a version. Returns whether it is the newest. */
  noteApplied(schedule: ScheduleKey, version: number): Promise<boolean>;
  /** Pauses a schedule of a version for a reason that comes from Temporal. Nothing happens when it has changed. */
  pause(schedule: ScheduleKey, version: number, reason: string): Promise<void>;
}

type ScheduleToWrite = ScheduleKey & ScheduleDefinition;

/** How often a Schedule is rewritten because its row has changed in the meantime. */
const MAX_WRITES = 5;
/** The number of Schedules on one page of a list. */
const PAGE = 500;
/** How much longer than it can matter the workflow of a slot may live, in milliseconds. */
const SLACK_MS = 10 * 60_000;

/**
 * Makes the Temporal Schedule of a schedule from its row, or removes it when the row is gone. Harmless to repeat, in
 * several processes at once: a process that finds the row changed does it again. Throws when Temporal does not respond
 * within five seconds.
 */
export async function applySchedule(client: Client, rows: ScheduleRows, schedule: ScheduleKey): Promise<void> {
  const { orgId, scheduleId } = schedule;
  for (let writes = 0; writes < MAX_WRITES; writes += 1) {
    const definition = await rows.read(schedule);
    if (definition === undefined) return removeTemporalSchedule(client, schedule);
    const { version, isActive } = definition;
    const reason = await writeTemporalSchedule(client, { orgId, scheduleId, ...definition });
    if (reason !== undefined && isActive) await rows.pause(schedule, version, reason);
    else if (await rows.noteApplied(schedule, version)) return;
  }
}

// Returns why the schedule must not continue, in words: Temporal refuses its times, or somebody has paused it there,
// which is left so.
async function writeTemporalSchedule(client: Client, schedule: ScheduleToWrite): Promise<string | undefined> {
  const options = optionsOf(schedule);
  return withinDeadline(client, async () => {
    try {
      if (schedule.isNew && (await create(client, schedule, options))) return undefined;
      return (await updateOrCreate(client, schedule, options)) ? undefined : 'Paused in Temporal.';
    } catch (error) {
      // The client's error for times that the server refuses.
      if (error instanceof TypeError) return `Temporal refuses its times: ${error.message}`;
      throw error;
    }
  });
}

async function updateOrCreate(client: Client, schedule: ScheduleToWrite, options: Written): Promise<boolean> {
  try {
    return await update(client, schedule, options);
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    await create(client, schedule, options);
    return true;
  }
}

/** Removes the Temporal Schedule of a schedule; without one nothing happens. */
export async function removeTemporalSchedule(client: Client, schedule: ScheduleKey): Promise<void> {
  try {
    await withinDeadline(client, async () => client.schedule.getHandle(temporalScheduleId(schedule)).delete());
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

/**
 * Lists the Temporal Schedules of an organization, or of all. A list may be some seconds old. Throws when the engine
 * does not respond.
 */
export async function* listTemporalSchedules(client: Client, orgId?: string): AsyncGenerator<TemporalSchedule> {
  const query = `ScheduleId STARTS_WITH '${temporalSchedulesOf(orgId)}'`;
  for await (const { scheduleId: id, memo, state } of client.schedule.list({ query, pageSize: PAGE })) {
    const schedule = scheduleOfId(id);
    if (schedule !== undefined) yield { ...schedule, installationId: installationOf(memo), isPaused: state.paused };
  }
}

/** Returns the Temporal Schedule of a schedule, and when it was created; `undefined` without one. */
export async function findTemporalSchedule(
  client: Client,
  schedule: ScheduleKey,
): Promise<(TemporalSchedule & { readonly createdAt: Date }) | undefined> {
  try {
    const { memo, state, info } = await withinDeadline(client, async () =>
      client.schedule.getHandle(temporalScheduleId(schedule)).describe(),
    );
    const installationId = installationOf(memo);
    return { ...schedule, installationId, isPaused: state.paused, createdAt: info.createdAt };
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

function installationOf(memo: Record<string, unknown> | undefined): string | undefined {
  const { installationId } = memo ?? {};
  return typeof installationId === 'string' ? installationId : undefined;
}

/** Starts the workflow of a slot that Temporal has not started. Harmless to repeat. */
export async function startScheduleSlot(client: Client, schedule: ScheduleKey, slot: number): Promise<void> {
  const { orgId, scheduleId } = schedule;
  const id = scheduleSlotId(schedule, slot);
  await startDetached(client, SCHEDULE_SLOT, { id, input: { orgId, scheduleId }, fairnessKey: orgId });
}

async function create(client: Client, schedule: ScheduleToWrite, options: Written): Promise<boolean> {
  try {
    const memo = { installationId: schedule.installationId };
    await client.schedule.create({ scheduleId: temporalScheduleId(schedule), memo, ...options });
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

// Returns false when somebody else has paused it.
async function update(client: Client, schedule: ScheduleToWrite, options: Written): Promise<boolean> {
  let isPausedByOther = false;
  await client.schedule.getHandle(temporalScheduleId(schedule)).update(({ state: { paused, note = '' } }) => {
    isPausedByOther = schedule.isActive && paused && note !== NOT_ACTIVE;
    return isPausedByOther ? { ...options, state: { paused, note } } : options;
  });
  return !isPausedByOther;
}

type Written = Omit<ScheduleOptions, 'scheduleId' | 'state'> & {
  readonly state: { readonly paused: boolean; readonly note: string };
};

// Overlap, bounds and jitter are the row's to decide: Temporal counts only what this Schedule has started itself.
function optionsOf(schedule: ScheduleToWrite): Written {
  const { orgId, scheduleId, spec, isActive, catchupMs, fairnessKey } = schedule;
  const action = {
    type: 'startWorkflow' as const,
    workflowType: SCHEDULE_SLOT,
    workflowId: scheduleSlotsId(schedule),
    taskQueue: TASK_QUEUE,
    args: [{ orgId, scheduleId }],
    workflowExecutionTimeout: catchupMs + SLACK_MS,
    // Sent, although the type of the action does not have it.
    priority: { fairnessKey },
  };
  return {
    spec,
    action,
    policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: catchupMs },
    state: { paused: !isActive, note: isActive ? '' : NOT_ACTIVE },
  };
}
