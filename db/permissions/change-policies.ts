import type { EntityManager } from '@mikro-orm/postgresql';
import { afterCommit } from '../core/index.ts';

/**
 * Notes, in the transaction that changes them, that the policies of these members are others now: what any process
 * remembers of them is not used again. Their open connections are checked anew, and turns that wait look whether they may
 * go on.
 */
export async function changePolicies(em: EntityManager, orgId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  // In one order, so that two changes at once do not wait for each other.
  await em.execute(
    `update memberships set policy_version = gen_random_uuid() where org_id = ? and user_id in (
        select user_id from memberships where org_id = ? and user_id = any(?::uuid[]) order by user_id for no key update
      )`,
    [orgId, orgId, `{${userIds.join(',')}}`],
  );
  afterCommit(em, { accessOf: userIds, wakesTurnsOf: orgId });
}
