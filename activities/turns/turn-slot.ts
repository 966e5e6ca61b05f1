import type { Database } from '../../db/core/database.ts';
import { acquireSlot, wakeSlotWaiter } from '../../db/turns/slots.ts';
import type { ClaimedTurn } from '../../db/turns/claim/claimed-turn.ts';
import { giveWorkSlots, storeWorkSlotWait } from '../../db/turns/work-slots.ts';
import type { StepRef } from '../../db/turns/steps/step.ts';
import { budgetBlockedReason } from '../../domain/budgets.ts';
import type { TokenBudget } from '../../domain/permissions/policy.ts';
import type { WorkBounds } from '../../domain/settings/setting-values.ts';

export interface SlotDeps {
  readonly database: Database;
}

/** The number of slots that means no limit. */
const UNLIMITED_SLOTS = 0;

/** How long a turn that waits for a slot goes without checking by itself; it is woken when it is its turn. */
const SLOT_POLL_MS = 30_000;

/** Whether a step may be taken now; `outdated` when another attempt has begun, or the turn was asked to stop. */
type SlotOutcome =
  | 'acquired'
  | 'outdated'
  | { readonly blockedReason: string }
  /** Milliseconds since the epoch. */
  | { readonly waitUntil: number };

/**
 * Holds a turn's slot among the running turns of its user, where their number is limited. The token budget is checked
 * with it before the first step; it does not block a turn that has begun.
 */
export class TurnSlot {
  readonly #deps: SlotDeps;
  readonly #turn: ClaimedTurn;
  #slot: number | null;
  #wasSeenWaiting: boolean;

  constructor(deps: SlotDeps, turn: ClaimedTurn) {
    this.#deps = deps;
    this.#turn = turn;
    this.#slot = turn.slot;
    this.#wasSeenWaiting = turn.hasWaitedForSlot;
  }

  async acquire(ref: StepRef): Promise<SlotOutcome> {
    const slotCount = this.#slot === null ? this.#slotLimit : UNLIMITED_SLOTS;
    const budgets = this.#budgets;
    if (slotCount === UNLIMITED_SLOTS && budgets.length === 0) return 'acquired';
    const waitUntil = this.#waitUntil;
    const { userId, seq, parentTurnId } = this.#turn;
    const request = { userId, seq, parentTurnId, slotCount, budgets };
    const grant = await acquireSlot(this.#deps.database, ref, request, new Date(waitUntil));
    this.#slot ??= grant.slot;
    this.#wasSeenWaiting ||= grant.wasSeenWaiting;
    if (grant.state === 'outdated') return 'outdated';
    const blockedReason = budgetBlockedReason(grant.budgets);
    if (blockedReason !== undefined) return { blockedReason };
    if (grant.state === 'waiting') return { waitUntil };
    // Several slots may have become free at once, and each woken turn has taken one.
    if (this.#wasSeenWaiting) await this.#wakeNext(ref.orgId, null);
    return 'acquired';
  }

  /** Wakes the next waiter: the turn has ended and left its slot, or was woken for a slot that it did not take. */
  async release(orgId: string): Promise<void> {
    if (this.#slot === null && !this.#wasSeenWaiting) return;
    const usedOwnersSlot = this.#slot === 0 || this.#slot === null;
    await this.#wakeNext(orgId, usedOwnersSlot ? this.#turn.parentTurnId : null);
  }

  get #waitUntil(): number {
    return Date.now() + Math.min(SLOT_POLL_MS, this.#turn.remainingMs ?? SLOT_POLL_MS);
  }

  // The budget is checked when a turn begins.
  get #budgets(): readonly TokenBudget[] {
    return isBeginning(this.#turn) ? (this.#turn.policy?.limits.budgets ?? []) : [];
  }

  get #slotLimit(): number {
    return this.#turn.policy?.limits.maxConcurrentAgents ?? UNLIMITED_SLOTS;
  }

  async #wakeNext(orgId: string, slotOwnerTurnId: string | null): Promise<void> {
    const { userId } = this.#turn;
    await wakeSlotWaiter(this.#deps.database, { orgId, userId }, { slotCount: this.#slotLimit, slotOwnerTurnId });
  }
}

// A sub-agent is part of the turn above it. A turn that has taken a step, or has waited for a provider, was admitted
// then. A repeated first step is checked again: the first attempt may have died before its check.
function isBeginning({ parentTurnId, step, waitingSince }: ClaimedTurn): boolean {
  return parentTurnId === null && step === 0 && waitingSince === null;
}

export interface WorkSlotDeps {
  readonly database: Database;
  /** How many turns may run at the same time. */
  readonly turnBounds: WorkBounds;
}

/**
 * How long a turn that waits for a work slot goes without checking by itself. It is woken when it is its turn; but a
 * turn that releases one searches for waiters in the same statement, and so cannot see one that began to wait at that
 * instant.
 */
const FIRST_POLL_MS = 1_000;
const NEXT_POLL_MS = 60_000;

/**
 * Has a turn wait for a work slot; returns until when at most, in milliseconds since the epoch. That is now when it has
 * got a work slot in the meantime, or is to stop.
 */
export async function waitForWorkSlot(
  deps: WorkSlotDeps,
  ref: StepRef,
  { userId, hasWaitedForWorkSlot, remainingMs }: ClaimedTurn,
): Promise<number> {
  const longest = hasWaitedForWorkSlot ? NEXT_POLL_MS : FIRST_POLL_MS;
  const until = Date.now() + Math.min(longest, remainingMs ?? longest);
  if (!(await storeWorkSlotWait(deps.database, ref, new Date(until)))) return Date.now();
  const given = await passWorkSlotsOn(deps, { orgId: ref.orgId, userId });
  return given.includes(ref.turnId) ? Date.now() : until;
}

/** Gives the work slots that are free to turns that wait for one, and has them woken; returns which. */
export async function passWorkSlotsOn(
  { database, turnBounds }: WorkSlotDeps,
  owner: { readonly orgId: string; readonly userId: string },
): Promise<string[]> {
  return giveWorkSlots(database, owner, turnBounds);
}
