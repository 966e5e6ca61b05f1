import { nextSlot, type Timing } from './timing.ts';

/** The facts that decide about a slot that is due. */
interface DueSlot {
  readonly timing: Timing;
  readonly slot: Date;
  readonly overlap: Overlap;
  readonly catchupMinutes: number;
  readonly jitterSeconds: number;
  /** The runs of the schedule that have not ended, and whether the slot has a run: one that was backfilled. */
  readonly open: { readonly running: number; readonly queued: number; readonly hasSlot: boolean };
}

/** The decision about a slot, and the slot after it; `undefined` when there is none. */
interface SlotDecision {
  readonly kind: 'miss' | 'skip' | 'run' | 'queue' | 'replace';
  readonly next: Date | undefined;
  /** The slots that are too old to be caught up; undefined when there is none without a run. */
  readonly missed?: MissedSlots | undefined;
}

/** Slots of a schedule that have started no run. */
export interface MissedSlots {
  readonly first: Date;
  /** Whether there are further ones. */
  readonly hasMore: boolean;
}

const MINUTE_MS = 60_000;

/**
 * Decides about a slot that is due: it starts a run at once, behind the open one or instead of the open ones, or it
 * starts none. A slot that is older than the time for catching up starts none.
 */
export function decideSlot(due: DueSlot, now: Date): SlotDecision {
  const { timing, slot, catchupMinutes } = due;
  // Every slot before this time has been due for as long as any jitter.
  const settled = now.getTime() - due.jitterSeconds * 1_000;
  const oldest = settled - catchupMinutes * MINUTE_MS;
  if (slot.getTime() < oldest)
    return { kind: 'miss', next: nextSlot(timing, new Date(oldest - 1)), missed: missedBefore(due, oldest) };
  const kind = kindOf(due);
  // The runs that are open now would block the other due slots, too.
  const after = kind === 'skip' ? Math.max(slot.getTime(), settled) : slot.getTime();
  return { kind, next: nextSlot(timing, new Date(after)) };
}

function missedBefore({ timing, slot, open }: DueSlot, oldest: number): MissedSlots | undefined {
  const isMissed = (each: Date | undefined) => each !== undefined && each.getTime() < oldest;
  const second = nextSlot(timing, slot);
  if (!open.hasSlot) return { first: slot, hasMore: isMissed(second) };
  if (second === undefined || !isMissed(second)) return undefined;
  return { first: second, hasMore: isMissed(nextSlot(timing, second)) };
}

function kindOf({ overlap, open }: DueSlot): SlotDecision['kind'] {
  if (open.running + open.queued === 0 || overlap === 'allow_all') return 'run';
  if (overlap === 'cancel_other') return 'replace';
  return overlap === 'buffer_one' && open.queued === 0 ? 'queue' : 'skip';
}

/** What to do with a slot while runs of the schedule are open. */
export const OVERLAPS = ['skip', 'buffer_one', 'allow_all', 'cancel_other'] as const;

/** Those of workflows, whose runs wait in the queue of the workflow. */
export const WORKFLOW_OVERLAPS = ['skip', 'allow_all', 'cancel_other'] as const satisfies readonly Overlap[];

export type Overlap = (typeof OVERLAPS)[number];
export type WorkflowOverlap = (typeof WORKFLOW_OVERLAPS)[number];

/** Returns whether runs of a schedule begin one after the other. */
export function isOneAtATime(overlap: Overlap): boolean {
  return overlap === 'skip' || overlap === 'buffer_one';
}

/** The states of a schedule's run. */
export const SCHEDULE_RUN_STATUSES = ['running', 'completed', 'failed'] as const;

export type ScheduleRunStatus = (typeof SCHEDULE_RUN_STATUSES)[number];

/** What started a run of a schedule: its slot, a person, or an agent. */
export const SCHEDULE_RUN_TRIGGERS = ['cron', 'manual', 'agent'] as const;

export type ScheduleRunTrigger = (typeof SCHEDULE_RUN_TRIGGERS)[number];
