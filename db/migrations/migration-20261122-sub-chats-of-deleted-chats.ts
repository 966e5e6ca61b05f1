import { Migration } from '@mikro-orm/migrations';

/** Chats of sub-agents go with the chat at the root: also those whose root was deleted before that was so. */
export class Migration20261122SubChatsOfDeletedChats extends Migration {
  override up(): void {
    this.addSql(SUB_CHATS);
  }
}

const SUB_CHATS = `
with recursive tree (id, deleted_at) as (
  select id, deleted_at from chats where deleted_at is not null and parent_chat_id is null
  union all
  select c.id, tree.deleted_at from tree join chats c on c.parent_chat_id = tree.id
)
update chats set deleted_at = tree.deleted_at from tree where chats.id = tree.id and chats.deleted_at is null;
`;
