import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Keeps which chat goes on with a conversation that a client of the chat completions keeps itself. */
export class Migration20270130Completions extends Migration {
  override up(): void {
    this.addSql(`
create table completions (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  digest bytea not null check (octet_length(digest) = 32),
  idempotency_key text,
  created_at timestamptz not null default now()
);
create unique index completions_key on completions (org_id, user_id, idempotency_key) where idempotency_key is not null;
create index completions_digest on completions (org_id, user_id, digest);
create index completions_chat on completions (chat_id);
create index completions_user on completions (user_id);
comment on column completions.id is 'The client_message_id of the message in its chat.';
comment on column completions.digest is 'SHA-256 of the agent and of the conversation, up to the message that is answered.';
`);
    this.addSql(tenantPolicy('completions'));
  }
}
