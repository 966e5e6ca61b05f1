import type { BudgetUse } from '../../domain/budgets.ts';
import type { DueChat } from '../../domain/core/due-work.ts';
import type { TokenBudget } from '../../domain/permissions/policy.ts';
import type { Database } from '../core/database.ts';
import type { Statement } from '../core/sql-pool.ts';
import { isUniqueViolation } from '../core/unavailable.ts';
import { budgetUsesOf } from '../permissions/usage.ts';
import { type StepRef, WITHOUT_WAIT, withWait } from './steps/step.ts';

/** Asks for a slot, and for how much of some budgets is used. */
interface SlotRequest {
  readonly userId: string;
  /** The turn's position in the order in which messages were accepted. */
  readonly seq: number;
  readonly parentTurnId: string | null;
  /** The number of the user's turns that may run at once; 0 when this one needs no slot. */
  readonly slotCount: number;
  /** Empty when the turn has begun before. */
  readonly budgets: readonly TokenBudget[];
}

/** The answer to a `SlotRequest`. */
interface SlotGrant {
  /**
   * `waiting`: no slot is free, and the turn that frees one sees that this one waits. `outdated`: another attempt has
   * begun, or the turn was asked to stop in the meantime.
   */
  readonly state: 'acquired' | 'waiting' | 'outdated';
  /** The slot that the turn has now; null when it waits, and when it needs none. */
  readonly slot: number | null;
  /** Whether others saw it wait, if only for an instant: they may have left a slot to it, or woken it for one. */
  readonly wasSeenWaiting: boolean;
  readonly budgets: readonly BudgetUse[];
}

/** How often another turn may take the same slot at the same instant: each time that one has got it. */
const MAX_TRIES = 100;

const OUTDATED = { state: 'outdated', slot: null, wasSeenWaiting: false } as const;

/**
 * Acquires one of the user's slots for a running turn, and reads how much of the budgets is used; one round trip.
 * Turns that have waited longer come first. A sub-agent may also use the slot of the turn above it while no sibling
 * does: that turn waits for it. A turn that gets none waits, and tries again at `retryAt`.
 */
export async function acquireSlot(
  { tenant }: Database,
  ref: StepRef,
  request: SlotRequest,
  retryAt: Date,
): Promise<SlotGrant> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryAcquireSlot(tenant, ref, request, retryAt);
    } catch (error) {
      // Another turn of the user has taken the same slot in this instant; the next try finds another one, or none.
      if (tries === MAX_TRIES || !isUniqueViolation(error)) throw error;
    }
  }
}

async function tryAcquireSlot(
  tenant: Database['tenant'],
  ref: StepRef,
  request: SlotRequest,
  retryAt: Date,
): Promise<SlotGrant> {
  const { userId, slotCount, budgets } = request;
  const slot = [takeSlotOrWait(ref, request, retryAt), takeSlot(ref, request)] as const;
  const uses = budgetUsesOf({ orgId: ref.orgId, userId }, budgets);
  if (slotCount === 0) {
    const [used] = budgets.length === 0 ? [[]] : await tenant.series(ref.orgId, [uses]);
    return { ...OUTDATED, state: 'acquired', budgets: used };
  }
  const [, [grant = OUTDATED], used = []] =
    budgets.length === 0 ? await tenant.series(ref.orgId, [...slot]) : await tenant.series(ref.orgId, [...slot, uses]);
  return { ...grant, budgets: used };
}

// The unique indexes on `slot` are what decides between two at once. Free slots are left to turns that have waited
// longer. All running turns count, also in slots beyond a limit that was lowered in the meantime.
const FREE_SLOT = `select case when $8::uuid is not null and not exists (
      select from turns o where o.parent_turn_id = $8 and o.slot = 0 and o.status = 'running'
    ) then 0 else (
      select n from generate_series(1, $4::int) n where others.ahead + others.at_work < $4 and not exists (
        select from turns o
        where o.org_id = $5 and o.user_id = $6 and o.slot = n and o.slot > 0 and o.status = 'running'
      )
      order by n limit 1 offset others.ahead
    ) end as slot
  from (
    select (
      select count(*) from turns o where o.org_id = $5 and o.user_id = $6 and o.seq < $7
        and o.is_waiting_for_slot and o.status = 'running' and o.slot is null
    ) as ahead, (
      select count(*) from turns o where o.org_id = $5 and o.user_id = $6 and o.slot > 0 and o.status = 'running'
    ) as at_work
  ) others`;

const WITHOUT_SLOT = `t.id = $1 and t.attempt = $2 and t.step = $3 and t.status = 'running' and t.slot is null`;

/**
 * Acquires a slot, or marks the turn as waiting, in one statement. Waiting counts neither as a try nor as a wait for a
 * provider. This may miss a slot that is freed concurrently by a turn that does not see this one wait: hence the second
 * try of `takeSlot`, which sees every slot that was freed before this statement was done. A turn that frees a slot
 * later sees this one wait.
 */
function takeSlotOrWait(ref: StepRef, request: SlotRequest, retryAt: Date): Statement {
  return {
    name: 'take-slot-or-wait',
    text: `update turns t set slot = free.slot, is_waiting_for_slot = free.slot is null,
        is_at_work = t.is_at_work and free.slot is not null,
        waiting_until = case when free.slot is null then $9::timestamptz end,
        step_tries = case when free.slot is null then 0 else t.step_tries end,
        next_wake_at = case when free.slot is null then $9::timestamptz + interval '30 seconds' else t.next_wake_at end,
        wake_count = case when free.slot is null then 0 else t.wake_count end,
        trace = case when free.slot is null then ${withWait('slot')} else t.trace end
      from (${FREE_SLOT}) free
      where ${WITHOUT_SLOT} and (free.slot is not null or t.interrupt_requested_at is null)`,
    values: [...slotValues(ref, request), retryAt],
  };
}

function takeSlot(ref: StepRef, request: SlotRequest): Statement<Omit<SlotGrant, 'budgets'>> {
  return {
    name: 'take-slot',
    text: `with taken as (
        update turns t set slot = free.slot, is_waiting_for_slot = false, waiting_until = null, is_at_work = true,
          trace = ${WITHOUT_WAIT}
        from (${FREE_SLOT}) free
        where ${WITHOUT_SLOT} and free.slot is not null returning t.slot
      )
      select entry.slot, entry.is_waiting as "wasSeenWaiting", case when entry.slot is not null then 'acquired'
        when entry.is_waiting and not entry.is_to_stop then 'waiting' else 'outdated' end as state
      from (
        select coalesce((select slot from taken), t.slot) as slot, t.is_waiting_for_slot as is_waiting,
          t.interrupt_requested_at is not null as is_to_stop
        from turns t where t.id = $1 and t.attempt = $2 and t.step = $3 and t.status = 'running'
      ) entry`,
    values: slotValues(ref, request),
  };
}

function slotValues({ orgId, turnId, attempt, step }: StepRef, request: SlotRequest): unknown[] {
  const { userId, seq, parentTurnId, slotCount } = request;
  return [turnId, attempt, step, slotCount, orgId, userId, seq, parentTurnId];
}

interface FreeSlot {
  /** The number of the user's turns that may run at once; 0 is unlimited. */
  readonly slotCount: number;
  /** The turn whose slot a sub-agent used and has released; null when the slot is nobody's. */
  readonly slotOwnerTurnId: string | null;
}

// Whether a turn is a sub-agent of the slot's owner, none of whose others uses the slot.
const MAY_USE_OWNERS_SLOT = `(coalesce(parent_turn_id = $3, false) and not exists (
    select from turns o where o.parent_turn_id = $3 and o.slot = 0 and o.status = 'running'
  ))`;

/**
 * Wakes the turn that gets a freed slot of the user: a sub-agent of the slot's owner, or else the turn that has waited
 * longest. It also checks by itself, so a lost wake costs time only. Returns its chat.
 */
export async function wakeSlotWaiter(
  { tenant, follow }: Pick<Database, 'tenant' | 'follow'>,
  { orgId, userId }: { orgId: string; userId: string },
  { slotCount, slotOwnerTurnId }: FreeSlot,
): Promise<DueChat | undefined> {
  const waiters = await tenant.query<DueChat>(orgId, {
    name: 'wake-slot-waiter',
    text: `update turns set next_wake_at = least(next_wake_at, now() + interval '1 second') where id = (
        select id from turns where org_id = $1 and user_id = $2 and is_waiting_for_slot and status = 'running'
          and slot is null and (${MAY_USE_OWNERS_SLOT} or $4 = 0 or $4 > (
            select count(*) from turns where org_id = $1 and user_id = $2 and slot > 0 and status = 'running'
          ))
        order by ${MAY_USE_OWNERS_SLOT} desc, seq limit 1
      )
      returning 'chat' as kind, org_id as "orgId", chat_id as "chatId", parent_turn_id is not null as "isSubAgent"`,
    values: [orgId, userId, slotOwnerTurnId, slotCount],
  });
  await follow([{ dueWork: waiters }]);
  return waiters[0];
}
