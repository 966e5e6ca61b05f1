import type { EntityManager } from '@mikro-orm/postgresql';
import { DELETED_FACTOR } from '../../../domain/orgs/index.ts';
import type { Database } from '../../core/index.ts';
import { heldByOwner } from '../../orgs/index.ts';

/** The condition on which an organization may have one more chat. */
export const hasRoomForChat = (orgId: string, maxChats: string) =>
  `(select ${heldByOwner('room.org_id', 'chats')} < room.most
      and ${heldByOwner('room.org_id', 'chats_made')} < ${DELETED_FACTOR}::numeric * room.most
    from (select ${orgId}::uuid as org_id, ${maxChats}::bigint as most) room)`;

/** Counts the live chats of the owner's organizations anew: the known number may be older than some deletions. */
export async function recountChats({ tenant }: Database, orgId: string): Promise<void> {
  await tenant.query(orgId, { name: 'recount-chats', text: recount('$1'), values: [orgId] });
}

/** Does so in a transaction. */
export async function recountChatsIn(em: EntityManager, orgId: string): Promise<void> {
  await em.execute(recount('?'), [orgId]);
}

const recount = (orgId: string) => `select recount_chats_of_owner(${orgId})`;
