import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../../../domain/core/app-error.ts';
import { type Membership, orgLimitReached } from '../../../domain/orgs/index.ts';
import type { Database } from '../../core/index.ts';
import { LOG_ENTRY_INSERT } from '../../project-logs/index.ts';
import { recountChats, hasRoomForChat } from '../usage/chat-limit.ts';

interface Fork {
  readonly chatId: string;
  /** That of the chat when it is null. */
  readonly title: string | null;
  /** Whether it stays in the project of the chat. */
  readonly keepsProject: boolean;
  /** The number of live chats that the organization may have. */
  readonly maxChats: number;
}

/**
 * Adds an empty chat that is like one of the user's: with its agent, project, chain of providers and mark of foreign
 * text, and as private. Returns its id. `conflict` when the owner has reached the limit.
 */
export async function addFork(database: Database, owner: Membership, fork: Fork): Promise<string> {
  const id = uuidv7();
  if (await insertFork(database, owner, id, fork)) return id;
  await recountChats(database, owner.orgId);
  if (await insertFork(database, owner, id, fork)) return id;
  const known = await database.tenant.query(owner.orgId, {
    name: 'chat-to-fork',
    text: 'select from chats where id = $1 and user_id = $2 and deleted_at is null',
    values: [fork.chatId, owner.userId],
  });
  throw known.length === 0 ? notFound('Chat') : orgLimitReached('chats', { chats: fork.maxChats });
}

async function insertFork(
  { tenant }: Database,
  { orgId, userId }: Membership,
  id: string,
  { chatId, title, keepsProject, maxChats }: Fork,
): Promise<boolean> {
  const added = await tenant.query(orgId, {
    name: 'add-fork',
    text: `with c as (
        insert into chats (id, org_id, user_id, agent_id, title, awaits_title, project_id, is_private, provider_chain_id, has_foreign_text)
        select $2, org_id, user_id, agent_id, coalesce($4, title), $4::text is null and awaits_title, case when $5 then project_id end, is_private,
          provider_chain_id, has_foreign_text
        from chats
        where id = $1 and user_id = $3 and deleted_at is null and parent_chat_id is null and ${hasRoomForChat('$6', '$7')}
        returning *
      ),
      noted as (
        ${LOG_ENTRY_INSERT} select $8::uuid, $6::uuid, c.project_id, $3::uuid, null, 'created', 'chat', c.id, null, '{}'::jsonb from c
        where c.project_id is not null
      )
      select id from c`,
    values: [chatId, id, userId, title, keepsProject, orgId, maxChats, uuidv7()],
  });
  return added.length > 0;
}
