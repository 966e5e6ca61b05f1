import type { Database } from '../core/database.ts';
import { DUE_AFTER_LEASE, LEASE } from './claim/claim-turn.ts';
import type { TurnChat } from './claim/turn-parts.ts';
import { RELEASED } from './steps/step.ts';

/** A turn that a process runs under a lease. */
export interface LeasedTurn {
  readonly id: string;
  /** Whether its workflow waits for it, so that the engine notices when the process is gone. */
  readonly isFollowed: boolean;
}

/**
 * Renews the leases of a process; one statement for all, which does not wait for the disk. Returns the ids of the turns
 * that it still runs: the others have ended, or another process has taken them over.
 */
export async function renewLeases(
  { stream }: Database,
  runner: string,
  turns: readonly LeasedTurn[],
): Promise<string[]> {
  const { rows } = await stream.query<{ id: string }>({
    name: 'renew-leases',
    // A wake time that need not change keeps the update out of the indexes. One that a wait has set stays.
    text: `update turns t set lease_until = now() + ${LEASE}, next_wake_at = case
        when t.waiting_until is not null then t.next_wake_at
        when not leased.is_followed then ${DUE_AFTER_LEASE}
        when t.next_wake_at < now() + interval '30 seconds' then now() + interval '90 seconds'
        else t.next_wake_at end
      from unnest($2::uuid[], $3::boolean[]) as leased (id, is_followed)
      where t.id = leased.id and t.runner = $1 and t.status = 'running' and t.lease_until is not null
      returning t.id`,
    values: [runner, turns.map(({ id }) => id), turns.map(({ isFollowed }) => isFollowed)],
  });
  return rows.map(({ id }) => id);
}

/** Releases the lease of a process on a turn that has not ended, so that any other may continue it at once. */
export async function releaseLease(
  { tenant }: Database,
  { orgId, turnId, runner }: { readonly orgId: string; readonly turnId: string; readonly runner: string },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'release-lease',
    // A process that is alive was not killed by what it read.
    text: `update turns t set lease_until = null, unfinished_reads = 0, trace = ${RELEASED}
      where id = $1 and runner = $2 and status = 'running' and lease_until is not null`,
    values: [turnId, runner],
  });
}

/** Returns whether a turn of the chat is open, whoever runs it. */
export async function hasOpenTurn({ tenant }: Database, { orgId, chatId }: TurnChat): Promise<boolean> {
  const rows = await tenant.query(orgId, {
    name: 'has-open-turn',
    text: `select from turns where chat_id = $1 and status in ('queued', 'running') limit 1`,
    values: [chatId],
  });
  return rows.length > 0;
}
