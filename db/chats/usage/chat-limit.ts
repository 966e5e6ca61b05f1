import type { EntityManager } from '@mikro-orm/postgresql';
import type { AppError } from '../../../domain/core/app-error.ts';
import { limitReached } from '../../../domain/core/limit-reached.ts';
import { DELETED_FACTOR } from '../../../domain/orgs/index.ts';
import type { Database } from '../../core/index.ts';

/** Makes the error for an organization that has reached its limit of chats. */
export function tooManyChats(maxChats: number): AppError {
  return limitReached(`chats, or ${DELETED_FACTOR} times that with deleted ones`, maxChats);
}

/** The condition on which an organization may have one more chat. */
export const hasRoomForChat = (orgId: string, maxChats: string) =>
  `not exists (
    select from org_usage
    where org_id = ${orgId} and (chats >= ${maxChats}::bigint or chats_made >= ${DELETED_FACTOR} * ${maxChats}::numeric)
  )`;

/** Counts the live chats of an organization anew: the known number may be older than some deletions. */
export async function recountChats({ tenant }: Database, orgId: string): Promise<void> {
  await tenant.query(orgId, { name: 'recount-chats', text: recount('$1', '$1'), values: [orgId] });
}

/** Does so in a transaction. */
export async function recountChatsIn(em: EntityManager, orgId: string): Promise<void> {
  await em.execute(recount('?', '?'), [orgId, orgId]);
}

const recount = (ofChats: string, ofUsage: string) =>
  `update org_usage set chats = (
    select count(*) from chats where org_id = ${ofChats} and deleted_at is null and parent_chat_id is null
  ) where org_id = ${ofUsage}`;
