import { notFound } from '../../domain/core/app-error.ts';
import type { Membership } from '../../domain/orgs/index.ts';
import type { Database } from '../core/index.ts';
import { ofUser } from './tasks.ts';

interface TaskOfChat {
  readonly id: string;
  readonly chatId: string;
}

/** Throws `not_found` unless a task is of the user's chat, or of a sub-agent's chat below it. */
export async function requireTaskOfChat(
  { tenant }: Database,
  { orgId, userId }: Membership,
  { id, chatId }: TaskOfChat,
): Promise<void> {
  const found = await tenant.query(orgId, {
    name: 'task-of-chat',
    text: `select from tasks k join chats s on s.id = k.chat_id
      where k.id = $1 and ${ofUser('$2')} and $3::uuid in (s.id, s.root_chat_id)`,
    values: [id, userId, chatId],
  });
  if (found.length === 0) throw notFound('Task');
}
