import type { Membership } from '../../../domain/orgs.ts';
import { dueRuns } from '../../../domain/core/due-work.ts';
import { afterCommit, type Transaction } from '../../core/index.ts';
import type { RunRef } from './run-state.ts';

/**
 * Wakes the runs of a former member that wait for a decision before a step: they end, and say why. Those that are at
 * work end with their turns.
 */
export async function wakeWaitingRuns(transaction: Transaction, { orgId, userId }: Membership): Promise<void> {
  const { rows } = await transaction.query<RunRef>(
    `update workflow_runs r set version = r.version + 1, updated_at = now()
      from approvals p
      where p.org_id = $1 and p.status = 'pending' and r.id = p.run_id and r.user_id = $2 and r.completed_at is null
      returning r.id as "runId", r.org_id as "orgId"`,
    [orgId, userId],
  );
  afterCommit(transaction, { dueWork: dueRuns(rows) });
}
