import type { Database } from '../../db/core/index.ts';
import { type ClaimedTurn, enterTurn, findSlotSeeker, type SlotSeeker, type StepPlace } from '../../db/turns/index.ts';
import { budgetRefusal } from '../../domain/budgets/index.ts';
import type { TokenBudget } from '../../domain/permissions/index.ts';

/** Wakes the workflow of a chat, that of a sub-agent or that of a conversation. */
export type WakeChat = (chat: SlotSeeker & { readonly orgId: string }) => Promise<void>;

export interface EntryDeps {
  readonly database: Database;
  readonly wakeChat: WakeChat;
}

/** As a number of slots: as many as there are turns. */
const UNLIMITED_SLOTS = 0;

/** How long a turn that waits for a slot goes without a look of its own; it is woken when it is its turn. */
const SLOT_LOOK_MS = 30_000;

/** Whether a step may be taken now; `outdated` when another attempt has begun, or the turn was asked to stop. */
export type Admission =
  | 'admitted'
  | 'outdated'
  | { readonly refusal: string }
  /** Milliseconds since the epoch. */
  | { readonly waitUntil: number };

/**
 * The door before a turn's model steps: a slot among the running turns of its user, where their number is limited, and a
 * look at the token budget before the first step. A turn that has begun is not held up by the budget.
 */
export class TurnEntry {
  readonly #deps: EntryDeps;
  readonly #turn: ClaimedTurn;
  #slot: number | null;
  #wasSeenWaiting: boolean;

  constructor(deps: EntryDeps, turn: ClaimedTurn) {
    this.#deps = deps;
    this.#turn = turn;
    this.#slot = turn.slot;
    this.#wasSeenWaiting = turn.hasWaitedForSlot;
  }

  async admit(place: StepPlace): Promise<Admission> {
    const slotCount = this.#slot === null ? this.#slotLimit : UNLIMITED_SLOTS;
    const budgets = this.#budgets;
    if (slotCount === UNLIMITED_SLOTS && budgets.length === 0) return 'admitted';
    const waitUntil = this.#waitUntil;
    const { userId, seq, parentTurnId } = this.#turn;
    const conditions = { userId, seq, parentTurnId, slotCount, budgets };
    const entry = await enterTurn(this.#deps.database, place, conditions, new Date(waitUntil));
    this.#slot ??= entry.slot;
    this.#wasSeenWaiting ||= entry.wasSeenWaiting;
    if (entry.state === 'outdated') return 'outdated';
    const refusal = budgetRefusal(entry.budgets);
    if (refusal !== undefined) return { refusal };
    if (entry.state === 'waiting') return { waitUntil };
    // Several slots may have become free at once, and whoever was woken has taken one.
    if (this.#wasSeenWaiting) await this.#wakeNext(place.orgId, null);
    return 'admitted';
  }

  /** Wakes whoever waits for the slot that the turn has left with its end, or had been woken for and did not take. */
  async leave(orgId: string): Promise<void> {
    if (this.#slot === null && !this.#wasSeenWaiting) return;
    await this.#wakeNext(orgId, this.#slot === 0 || this.#slot === null ? this.#turn.parentTurnId : null);
  }

  get #waitUntil(): number {
    return Date.now() + Math.min(SLOT_LOOK_MS, this.#turn.remainingMs ?? SLOT_LOOK_MS);
  }

  // The budget is looked at when a turn begins.
  get #budgets(): readonly TokenBudget[] {
    return isBeginning(this.#turn) ? (this.#turn.policy?.limits.budgets ?? []) : [];
  }

  get #slotLimit(): number {
    return this.#turn.policy?.limits.maxConcurrentAgents ?? UNLIMITED_SLOTS;
  }

  async #wakeNext(orgId: string, lentBy: string | null): Promise<void> {
    const { database, wakeChat } = this.#deps;
    const { userId } = this.#turn;
    const seeker = await findSlotSeeker(database, { orgId, userId }, { slotCount: this.#slotLimit, lentBy });
    // It also looks by itself, and the sweeper wakes it: a wake that is lost costs time only.
    if (seeker !== undefined) await wakeChat({ ...seeker, orgId }).catch(() => undefined);
  }
}

// A sub-agent is part of the turn above it. What has taken a step, or has waited for a provider, was let in then. A first
// step that is begun anew is looked at anew: whoever began it may have died before it looked.
function isBeginning({ parentTurnId, step, waitingSince }: ClaimedTurn): boolean {
  return parentTurnId === null && step === 0 && waitingSince === null;
}
