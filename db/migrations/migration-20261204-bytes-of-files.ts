import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Keeps the sum of the bytes that an organization has uploaded, so that no upload has to add them up. */
export class Migration20261204BytesOfFiles extends Migration {
  override up(): void {
    this.addSql(TABLE);
    // The owner of the tables is bound to an organization too, and this counts the rows of all.
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(COUNT);
    this.addSql("select set_config('app.scope', '', true)");
    this.addSql(tenantPolicy('chat_file_usage'));
  }
}

// By triggers: files go with their chats and organizations too. Once for each statement, so that a chat with many files
// goes at the price of one.
const TABLE = `
create table chat_file_usage (
  org_id uuid primary key references orgs (id) on delete cascade,
  bytes bigint not null
);
create function add_file_bytes(org uuid, change bigint) returns void language plpgsql as $$
begin
  if change > 0 then
    insert into chat_file_usage as u (org_id, bytes) values (org, change)
      on conflict (org_id) do update set bytes = u.bytes + excluded.bytes;
  else
    -- The row may have gone with its organization.
    update chat_file_usage set bytes = bytes + change where org_id = org;
  end if;
end $$;
create function count_file_bytes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform add_file_bytes(org_id, sum(bytes)::bigint) from files_after where is_stored group by org_id;
  elsif tg_op = 'DELETE' then
    perform add_file_bytes(org_id, -sum(bytes)::bigint) from files_before where is_stored group by org_id;
  else
    perform add_file_bytes(org_id, sum(bytes)::bigint) from (
      select org_id, bytes from files_after where is_stored
      union all
      select org_id, -bytes from files_before where is_stored
    ) changes group by org_id having sum(bytes) <> 0;
  end if;
  return null;
end $$;
`;

const COUNT = `
insert into chat_file_usage (org_id, bytes)
  select org_id, sum(bytes) from chat_files where is_stored group by org_id;
create trigger added_file_bytes after insert on chat_files referencing new table as files_after
  for each statement execute function count_file_bytes();
create trigger removed_file_bytes after delete on chat_files referencing old table as files_before
  for each statement execute function count_file_bytes();
create trigger changed_file_bytes after update on chat_files referencing old table as files_before new table as files_after
  for each statement execute function count_file_bytes();
`;
