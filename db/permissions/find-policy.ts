import type { Membership } from '../../domain/orgs/index.ts';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Policy } from '../../domain/permissions/index.ts';
import { MEMBER_COLUMNS, type MemberRow, policyOfMember } from './for-turn.ts';

/** Returns the policy of a member, as the transaction sees it; null for a user who is no member. */
export async function findPolicy(em: EntityManager, { orgId, userId }: Membership): Promise<Policy | null> {
  const [member] = await em.execute<MemberRow[]>(
    `select ${MEMBER_COLUMNS} from memberships m where m.org_id = ? and m.user_id = ?`,
    [orgId, userId],
  );
  return policyOfMember(member);
}
