import { Migration } from '@mikro-orm/migrations';

/** Deletes the chats of sub-agents with the chat at the root, including roots that were deleted before. */
export class Migration20261122SubChatsOfDeletedChats extends Migration {
  override up(): void {
    // The owner of the tables is bound to an organization too, and this changes the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(SUB_CHATS);
    this.addSql("select set_config('app.scope', '', true)");
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
