import type { Database } from '../../core/index.ts';
import { isShared } from '../readable.ts';

/** Who may know of a chat: its owner, and when it is shared those who see shared ones. */
export interface ChatAudience {
  readonly chatId: string;
  readonly orgId: string;
  readonly ownerId: string;
  readonly isShared: boolean;
}

/** Returns who may know of chats, deleted ones too; nothing for unknown ids. One statement for all. */
export async function findAudiences(
  { system }: Pick<Database, 'system'>,
  chatIds: readonly string[],
): Promise<ChatAudience[]> {
  const { rows } = await system.query<ChatAudience>({
    name: 'audiences-of-chats',
    text: `select c.id as "chatId", c.org_id as "orgId", c.user_id as "ownerId", ${isShared('c')} as "isShared"
      from chats c where c.id = any($1::uuid[])`,
    values: [chatIds],
  });
  return rows;
}
