import type { TenantDatabase } from '../core/index.ts';

/** Notes that a chat has read text from outside, which everything stored after that may repeat. */
export async function noteForeignText(
  { tenant }: TenantDatabase,
  { orgId, chatId }: { readonly orgId: string; readonly chatId: string },
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-foreign-text',
    text: 'update chats set has_foreign_text = true where id = $1 and not has_foreign_text',
    values: [chatId],
  });
}
