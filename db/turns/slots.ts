import type { BudgetUse } from '../../domain/budgets/index.ts';
import type { TokenBudget } from '../../domain/permissions/index.ts';
import type { Database } from '../core/database.ts';
import type { Statement } from '../core/sql-pool.ts';
import { sqlState } from '../core/unavailable.ts';
import { budgetUsesOf } from '../permissions/index.ts';
import type { StepPlace } from './step-usage.ts';

/** What a turn needs before it may go on. */
export interface EntryConditions {
  readonly userId: string;
  /** The turn's place in the order in which messages were accepted. */
  readonly seq: number;
  readonly parentTurnId: string | null;
  /** Turns of the user that may run at once; 0 when this one needs no slot. */
  readonly slotCount: number;
  /** Those to be looked at; none when the turn has begun before. */
  readonly budgets: readonly TokenBudget[];
}

/** What a turn has got. */
export interface Entry {
  /** The slot that it has now; null when none is free, and when it needs none. */
  readonly slot: number | null;
  readonly budgets: readonly BudgetUse[];
}

const UNIQUE_VIOLATION = '23505';

/**
 * Gives a running turn one of its user's slots, when one is free that nobody waits for who came before, and then reads
 * how much of the budgets is used. A sub-agent may also work in the slot of the turn above it, which waits for it, when
 * no other one does. One round trip.
 */
export async function enterTurn({ tenant }: Database, place: StepPlace, conditions: EntryConditions): Promise<Entry> {
  const { userId, slotCount, budgets } = conditions;
  const statements: Statement[] = [
    ...(slotCount === 0 ? [] : [takeSlot(place, conditions)]),
    ...(budgets.length === 0 ? [] : [budgetUsesOf({ orgId: place.orgId, userId }, budgets)]),
  ];
  for (;;) {
    try {
      const results = await tenant.series(place.orgId, statements);
      const [taken] = slotCount === 0 ? [] : ((results[0] ?? []) as { slot: number }[]);
      return {
        slot: taken?.slot ?? null,
        budgets: budgets.length === 0 ? [] : ((results.at(-1) ?? []) as BudgetUse[]),
      };
    } catch (error) {
      // Another turn of the user has taken the same slot in this instant; the next look finds another one, or none.
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
    }
  }
}

// The unique indexes on `slot` are what decides between two at once. Free slots are left to those who wait and came before.
// All that are at work count, also in slots beyond a limit that was lowered meanwhile.
function takeSlot({ orgId, turnId, attempt, step }: StepPlace, conditions: EntryConditions): Statement {
  const { userId, seq, parentTurnId, slotCount } = conditions;
  return {
    name: 'take-slot',
    text: `update turns t set slot = place.slot, is_waiting_for_slot = false
      from (
        select case when $8::uuid is not null and not exists (
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
        ) others
      ) place
      where t.id = $1 and t.attempt = $2 and t.step = $3 and t.status = 'running' and t.slot is null
        and place.slot is not null
      returning t.slot`,
    values: [turnId, attempt, step, slotCount, orgId, userId, seq, parentTurnId],
  };
}

/**
 * Notes that a turn waits for a slot, and is to be looked at again at `until`. The wait counts neither as a try nor as a
 * wait for a provider. Answers false, with nothing stored, when another attempt has begun, or the turn was asked to stop
 * meanwhile.
 */
export async function storeSlotWait({ tenant }: Database, place: StepPlace, until: Date): Promise<boolean> {
  const rows = await tenant.query(place.orgId, {
    name: 'store-slot-wait',
    text: `update turns t set is_waiting_for_slot = true, waiting_until = $4, step_tries = 0,
        next_wake_at = $4::timestamptz + interval '30 seconds', wake_count = 0
      where id = $1 and attempt = $2 and step = $3 and status = 'running' and interrupt_requested_at is null
      returning id`,
    values: [place.turnId, place.attempt, place.step, until],
  });
  return rows.length > 0;
}

/** A turn that waits for a slot. */
export interface SlotSeeker {
  readonly chatId: string;
  readonly isSubAgent: boolean;
}

interface FreeSlots {
  /** Turns of the user that may run at once; 0 is unlimited. */
  readonly slotCount: number;
  /** The turn whose own slot a sub-agent has given back. */
  readonly lentBy: string | null;
}

/**
 * Who is next when a slot of the user has become free: of those who wait for one, a sub-agent of the turn that has lent
 * its slot, or else whoever came first. The caller wakes it; the sweeper does when that fails.
 */
export async function findSlotSeeker(
  { tenant }: Database,
  { orgId, userId }: { orgId: string; userId: string },
  { slotCount, lentBy }: FreeSlots,
): Promise<SlotSeeker | undefined> {
  const [seeker] = await tenant.query<SlotSeeker>(orgId, {
    name: 'find-slot-seeker',
    text: `update turns set next_wake_at = least(next_wake_at, now() + interval '1 second') where id = (
        select id from turns where org_id = $1 and user_id = $2 and is_waiting_for_slot and status = 'running'
          and slot is null and (parent_turn_id = $3 or $4 = 0 or $4 > (
            select count(*) from turns where org_id = $1 and user_id = $2 and slot > 0 and status = 'running'
          ))
        order by coalesce(parent_turn_id = $3, false) desc, seq limit 1
      )
      returning chat_id as "chatId", parent_turn_id is not null as "isSubAgent"`,
    values: [orgId, userId, lentBy, slotCount],
  });
  return seeker;
}
