import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs.ts';
import type { Database } from '../core/index.ts';
import { type Chat, CHAT, OPEN_TURN, rejectSubChat, theChat } from './chat.ts';
import { getOwnChat } from './read-chat.ts';

/** Renames the user's chat; `conflict` when it is a sub-agent's. */
export async function renameChat(database: Database, owner: Membership, chatId: string, title: string): Promise<Chat> {
  const rows = await database.tenant.query<Chat>(owner.orgId, {
    name: 'rename-chat',
    text: `with c as (update chats set title = $3, awaits_title = false, updated_at = now()
        where id = $1 and user_id = $2 and deleted_at is null and parent_chat_id is null returning *)
      select ${CHAT} from c ${OPEN_TURN}`,
    values: [chatId, owner.userId, title],
  });
  if (rows.length === 0) rejectSubChat(await getOwnChat(database, owner, chatId));
  return theChat(rows);
}

/** Sets or removes the chain of the user's chat; `not_found` also when there is no such chain. */
export async function setChatProviderChain(
  database: Database,
  owner: Membership,
  chatId: string,
  providerChainId: string | null,
): Promise<Chat> {
  const rows = await database.tenant.query<Chat & { readonly isChanged: boolean }>(owner.orgId, {
    name: 'set-chat-provider-chain',
    text: `with chain as (select id from provider_chains where id = $3 for key share),
      old as (
        select id, provider_chain_id from chats where id = $1 and user_id = $2 and deleted_at is null for no key update
      ),
      c as (update chats set provider_chain_id = $3, updated_at = now() from old
        where chats.id = old.id and ($3::uuid is null or exists (select from chain)) returning chats.*)
      select ${CHAT}, old.provider_chain_id is distinct from $3 as "isChanged"
      from c join old on old.id = c.id ${OPEN_TURN}`,
    values: [chatId, owner.userId, providerChainId],
  });
  const [changed] = rows;
  if (changed !== undefined) {
    const { isChanged, ...chat } = changed;
    if (isChanged) await database.follow([{ wakesTurnsOf: owner.orgId }]);
    return chat;
  }
  await getOwnChat(database, owner, chatId);
  throw notFound('Provider chain');
}

/** Locks the user's chat until the transaction has ended; `conflict` when it is a sub-agent's. */
export async function lockOwnChat(em: EntityManager, userId: string, chatId: string): Promise<void> {
  const [chat] = await em.execute<Pick<Chat, 'parentChatId'>[]>(
    `select parent_chat_id as "parentChatId" from chats
      where id = ? and user_id = ? and deleted_at is null for no key update`,
    [chatId, userId],
  );
  if (chat === undefined) throw notFound('Chat');
  rejectSubChat(chat);
}
