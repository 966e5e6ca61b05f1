import type { PermissionKey } from '../../domain/permissions/keys.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import { findPolicy } from './for-turn.ts';

/** A user, who may have left the organization; null for one whose account was deleted. */
interface FormerMember {
  readonly orgId: string;
  readonly userId: string | null;
}

/** Returns whether a user is still a member of the organization and has a permission: both may have changed since. */
export async function memberMay(
  database: Database,
  { orgId, userId }: FormerMember,
  key: PermissionKey,
): Promise<boolean> {
  if (userId === null) return false;
  const policy = await withOrgTransaction(database, orgId, async (em) => findPolicy(em, { orgId, userId }));
  return policy !== null && policyAllows(policy, key);
}
