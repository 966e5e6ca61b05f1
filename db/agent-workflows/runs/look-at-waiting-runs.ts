import type { Membership } from '../../../domain/orgs/index.ts';
import type { Transaction } from '../../core/index.ts';

/**
 * Has the runs of a former member looked at that wait for a decision before a step, for which nobody would look for
 * weeks: they end, and say why. Those that are at work end with their turns.
 */
export async function lookAtWaitingRuns(transaction: Transaction, { orgId, userId }: Membership): Promise<void> {
  await transaction.query(
    `update workflow_runs r set due_at = now(), version = r.version + 1, updated_at = now()
      from approvals p
      where p.org_id = $1 and p.status = 'pending' and r.id = p.run_id and r.user_id = $2 and r.completed_at is null`,
    [orgId, userId],
  );
}
