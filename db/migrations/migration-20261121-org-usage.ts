import { Migration } from '@mikro-orm/migrations';
import { systemPolicy } from './system-policy.ts';
import { tenantPolicy } from './tenant-policy.ts';

/**
 * Counts what each organization holds, so that it can be bounded; adds the bytes of a chat's files, and an expiry of
 * retired keys.
 */
export class Migration20261121OrgUsage extends Migration {
  override up(): void {
    // The owner of the tables is bound to an organization too, and this counts the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(USAGE);
    this.addSql("select set_config('app.scope', '', true)");
    this.addSql(FILES);
    this.addSql(RETIRED_KEYS);
    for (const table of ['org_usage', 'workspace_usage']) this.addSql(tenantPolicy(table));
    this.addSql(systemPolicy('usage_count'));
  }
}

// Block range indexes: rows are stored in the order of their time, and such an index adds no cost to an insert.
const USAGE = `
create index messages_time on messages using brin (created_at) with (autosummarize = on);
create index chats_time on chats using brin (created_at) with (autosummarize = on);

create table org_usage (
  org_id uuid primary key references orgs (id) on delete cascade,
  message_bytes bigint not null,
  chats bigint not null,
  chats_made bigint not null
);
insert into org_usage (org_id, message_bytes, chats, chats_made)
  select o.id,
    (select coalesce(sum(octet_length(content) + pg_column_size(metadata)), 0) from messages where org_id = o.id)
    + (select coalesce(sum(octet_length(text) + coalesce(octet_length(raw_text), 0)), 0) from model_steps where org_id = o.id)
    + (select coalesce(sum(coalesce(octet_length(result), 0) + pg_column_size(arguments)), 0) from tool_calls where org_id = o.id),
    (select count(*) from chats where org_id = o.id and deleted_at is null and parent_chat_id is null),
    (select count(*) from chats where org_id = o.id and parent_chat_id is null)
  from orgs o;

create table usage_count (
  is_one boolean primary key default true check (is_one),
  counted_until timestamptz not null
);
insert into usage_count (counted_until) values (now());
`;

const FILES = `
create table workspace_usage (
  chat_id uuid primary key references chats (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  bytes bigint not null
);
create index workspace_usage_org on workspace_usage (org_id) include (bytes);
`;

// Each rotation retires a value; the newest thousand of each user are remembered.
const RETIRED_KEYS = `
create function forget_old_retired_keys() returns trigger language plpgsql as $$
begin
  delete from retired_api_keys where public_id in (
    select public_id from retired_api_keys where user_id = new.user_id order by retired_at desc offset 1000
  );
  return null;
end $$;
create trigger retired_keys_are_few after insert on retired_api_keys
  for each row execute function forget_old_retired_keys();
`;
