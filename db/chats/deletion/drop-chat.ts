import type { Membership } from '../../../domain/orgs/index.ts';
import type { Database } from '../../core/index.ts';

/** Removes a chat of the user that was started for a message which was then refused; one that has a message stays. */
export async function dropChat({ tenant }: Database, { orgId, userId }: Membership, chatId: string): Promise<void> {
  await tenant.query(orgId, {
    name: 'drop-chat',
    text: `delete from chats c where c.id = $1 and c.user_id = $2
      and not exists (select from messages m where m.chat_id = c.id and m.client_message_id is not null)`,
    values: [chatId, userId],
  });
}
