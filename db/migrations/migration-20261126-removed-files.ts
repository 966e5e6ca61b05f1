import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/**
 * Notes the files whose records are gone and whose bytes lie outside of the database, so that they are removed there
 * too.
 */
export class Migration20261126RemovedFiles extends Migration {
  override up(): void {
    this.addSql(REMOVED);
    this.addSql(tenantPolicy('removed_files'));
  }
}

// By a trigger: records of files go with their chats and organizations too. It refers to nothing that goes with them.
const REMOVED = `
create table removed_files (
  file_id uuid primary key,
  org_id uuid not null,
  store text not null,
  removed_at timestamptz not null default now()
);
create index removed_files_time on removed_files (removed_at);
create function note_removed_file() returns trigger language plpgsql as $$
begin
  insert into removed_files (file_id, org_id, store) values (old.id, old.org_id, old.store) on conflict do nothing;
  return null;
end $$;
create trigger removed_files_are_noted after delete on chat_files
  for each row when (old.store <> 'postgres') execute function note_removed_file();
`;
