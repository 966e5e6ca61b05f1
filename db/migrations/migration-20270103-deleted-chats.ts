import { Migration } from '@mikro-orm/migrations';

/** Lets deleted chats be removed after a while, without what their users have spent. */
export class Migration20270103DeletedChats extends Migration {
  override up(): void {
    this.addSql(LOOK_UP);
    this.addSql(USAGE);
  }
}

const LOOK_UP = `
create index chats_deleted on chats (deleted_at) where deleted_at is not null and parent_chat_id is null;
`;

// Budgets and figures count what was spent in chats that are gone, too.
const USAGE = `
alter table token_usage
  drop constraint token_usage_turn_id_fkey,
  drop constraint token_usage_chat_id_fkey;
comment on column token_usage.chat_id is 'Of a chat that may be gone.';
comment on column token_usage.turn_id is 'Of a turn that may be gone.';
`;
