import type { EntityManager } from '@mikro-orm/postgresql';
import { changePolicies } from '../orgs/index.ts';
import { PermissionGroup } from './permission-group.entity.ts';

/** Returns whether a permission group forces a chain on its members. */
export async function isForcedChain(em: EntityManager, id: string): Promise<boolean> {
  return (await em.count(PermissionGroup, { defaultChainId: id })) > 0;
}

/** Notes that a chain is about to be deleted, which changes the policies of members on whom it is forced. */
export async function forgetForcedChain(
  em: EntityManager,
  { orgId, id }: { orgId: string; id: string },
): Promise<void> {
  const rows = await em.execute<{ userId: string }[]>(
    `select distinct gm.user_id as "userId" from permission_groups g
      join permission_group_members gm on gm.group_id = g.id where g.default_chain_id = ?`,
    [id],
  );
  await changePolicies(
    em,
    orgId,
    rows.map(({ userId }) => userId),
  );
}
