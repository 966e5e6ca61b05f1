import type { EntityManager } from '@mikro-orm/postgresql';
import { PermissionGroup } from './permission-group.entity.ts';

/** Returns whether a permission group forces a chain on its members. */
export async function isForcedChain(em: EntityManager, id: string): Promise<boolean> {
  return (await em.count(PermissionGroup, { defaultChainId: id })) > 0;
}
