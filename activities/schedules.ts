import type { RunRef } from '../db/agent-workflows/runs/run-state.ts';
import type { Database } from '../db/core/database.ts';
import { fireSchedule } from '../db/schedules/firing/fire-schedule.ts';
import {
  forgetApplied,
  readScheduleIds,
  readSchedulesAfter,
  type StoredSchedule,
} from '../db/schedules/firing/applied.ts';
import type { ScheduleKey } from '../domain/core/due-work.ts';
import { settleAll } from '../domain/core/promises.ts';
import type { OrgLimits } from '../domain/orgs.ts';
import type { DecideSlotsInput, DecideSlotsResult, TemporalSchedule } from '../workflows/schedules/contract.ts';

/** The Temporal Schedules of schedules. */
interface TemporalSchedules {
  /** Lists those of an organization, or of all. */
  readonly list: (orgId?: string) => AsyncIterable<TemporalSchedule>;
  readonly find: (schedule: ScheduleKey) => Promise<(TemporalSchedule & { readonly createdAt: Date }) | undefined>;
  readonly remove: (schedule: ScheduleKey) => Promise<void>;
}

export interface ComparisonDeps {
  readonly database: Database;
  readonly installationId: string;
  readonly temporalSchedules: TemporalSchedules;
}

/** Rows that one statement reads, and Schedules that are looked up at once. */
const BATCH = 100;
const AT_ONCE = 10;
const NIL = '00000000-0000-0000-0000-000000000000';
const BEFORE_ALL = { orgId: NIL, scheduleId: NIL };

/** Whose row may not be stored yet, or whose Schedule a list does not show yet. */
const YOUNG_MS = 10 * 60_000;

/**
 * Compares the rows of schedules with their Temporal Schedules, in both directions, and acts on what Temporal confirms:
 * removes those of this installation that have no row, and has those applied again that are missing, or paused
 * otherwise than their rows say. Leaves alone what is younger than ten minutes. Keeps the ids of one organization in
 * memory at a time.
 */
export async function compareSchedules(deps: ComparisonDeps): Promise<void> {
  await removeOrphans(deps);
  await forgetDiffering(deps);
}

/** Removes the Temporal Schedules of an organization that is gone. */
export async function removeSchedulesOf(
  { installationId, temporalSchedules }: Omit<ComparisonDeps, 'database'>,
  orgId: string,
): Promise<void> {
  for await (const batch of inBatches(temporalSchedules.list(orgId), AT_ONCE)) {
    const own = batch.filter((schedule) => schedule.installationId === installationId);
    await Promise.all(own.map(temporalSchedules.remove));
  }
}

async function removeOrphans(deps: ComparisonDeps): Promise<void> {
  const { database, installationId, temporalSchedules } = deps;
  for await (const batch of inBatches(temporalSchedules.list(), BATCH)) {
    const own = batch.filter((schedule) => schedule.installationId === installationId);
    const known = await readScheduleIds(
      database,
      own.map(({ scheduleId }) => scheduleId),
    );
    const orphans = own.filter(({ scheduleId }) => !known.has(scheduleId));
    for await (const some of inBatches(orphans, AT_ONCE))
      await Promise.all(some.map(async (each) => remove(deps, each)));
  }
}

async function remove({ installationId, temporalSchedules }: ComparisonDeps, orphan: ScheduleKey): Promise<void> {
  const found = await temporalSchedules.find(orphan);
  if (found?.installationId !== installationId || found.createdAt.getTime() > Date.now() - YOUNG_MS) return;
  await temporalSchedules.remove(orphan);
}

async function forgetDiffering({ database, temporalSchedules }: ComparisonDeps): Promise<void> {
  let listed: ListedSchedules = { orgId: NIL, isPaused: new Map() };
  for (let after: ScheduleKey | undefined = BEFORE_ALL; after !== undefined;) {
    const rows = await readSchedulesAfter(database, after, BATCH);
    const suspects: StoredSchedule[] = [];
    for (const row of rows) {
      if (row.orgId !== listed.orgId) listed = await listSchedulesOf(temporalSchedules, row.orgId);
      if (row.isSettled && listed.isPaused.get(row.scheduleId) !== !row.isActive) suspects.push(row);
    }
    for await (const some of inBatches(suspects, AT_ONCE)) {
      const found = await Promise.all(some.map(temporalSchedules.find));
      const differing = some.filter(({ isActive }, at) => found[at]?.isPaused !== !isActive);
      // A recovery scan applies them to Temporal, and pauses those that somebody has paused there.
      await forgetApplied(
        database,
        differing.map(({ scheduleId }) => scheduleId),
      );
    }
    after = rows.length < BATCH ? undefined : rows.at(-1);
  }
}

interface ListedSchedules {
  readonly orgId: string;
  /** By the id of the schedule, for each that has a Temporal Schedule. */
  readonly isPaused: ReadonlyMap<string, boolean>;
}

async function listSchedulesOf({ list }: TemporalSchedules, orgId: string): Promise<ListedSchedules> {
  const isPaused = new Map<string, boolean>();
  for await (const each of list(orgId)) isPaused.set(each.scheduleId, each.isPaused);
  return { orgId, isPaused };
}

async function* inBatches<T>(items: AsyncIterable<T> | Iterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

export interface SlotDeps {
  readonly database: Database;
  readonly orgLimits: OrgLimits;
  /** Begins the turn of a run, or stops it. */
  readonly advanceRun: (run: RunRef) => Promise<void>;
  /** Removes the Temporal Schedule of a schedule that is gone. */
  readonly removeSchedule: (schedule: ScheduleKey) => Promise<void>;
}

/** The slots that one call decides at most: a schedule may have missed thousands. */
const MAX_SLOTS = 20;

/** How far the clock of this machine may be behind that of Temporal, in milliseconds. */
const CLOCK_DIFFERENCE_MS = 10_000;

const ENDED: DecideSlotsResult = { hasEnded: true, waitMs: 0 };

/**
 * Makes the activity that decides the slots of a schedule that are due, oldest first, and begins their runs. The row
 * says which these are: a slot that it does not know starts nothing.
 */
export function createDecideSlots({ database, orgLimits, advanceRun, removeSchedule }: SlotDeps) {
  return async function decideSlots({ orgId, scheduleId, slot }: DecideSlotsInput): Promise<DecideSlotsResult> {
    const schedule = { orgId, scheduleId };
    for (let decided = 0; decided < MAX_SLOTS; decided += 1) {
      const now = timeAt(slot);
      const fired = await fireSchedule(database, schedule, now, orgLimits);
      if (fired === undefined) {
        // The process that was to remove its Temporal Schedule has died.
        await removeSchedule(schedule);
        return ENDED;
      }
      await settleAll(fired.begun.map(async (runId) => advanceRun({ orgId, runId })));
      const { next } = fired;
      if (next === undefined || next.slot > now) return ENDED;
      if (next.dueAt > now) return { hasEnded: false, waitMs: next.dueAt.getTime() - now.getTime() };
    }
    return { hasEnded: false, waitMs: 0 };
  };
}

// Nobody makes a slot come early by an id with another time.
function timeAt(slot: number): Date {
  const now = Date.now();
  return new Date(slot > now && slot <= now + CLOCK_DIFFERENCE_MS ? slot : now);
}
