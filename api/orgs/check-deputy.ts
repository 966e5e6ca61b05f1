import { findMembers } from '../../db/approvals/find-members.ts';
import type { TenantDatabase } from '../../db/core/database.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import { InvalidRequest } from '../http/problem.ts';

/** Rejects a member to whom approvals are to be escalated, but who may not decide about them. */
export async function checkDeputy(
  database: TenantDatabase,
  orgId: string,
  userId: string | null | undefined,
): Promise<void> {
  if (userId == null) return;
  const [member] = await findMembers(database, orgId, [userId]);
  if (member === undefined) throw notFound('Member');
  if (member.policy !== null && policyAllows(member.policy, 'approvals.manage')) return;
  const msg = 'may not decide about approvals: the permission approvals.manage is missing';
  throw new InvalidRequest([{ type: 'custom', loc: ['body', 'approvals_escalation_user_id'], msg }]);
}
