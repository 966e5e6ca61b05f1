import { Migration } from '@mikro-orm/migrations';

/**
 * Notes when a removed file and a text to be extracted are tried next, so that those that fail do not block the others.
 */
export class Migration20261201TurnsOfFiles extends Migration {
  override up(): void {
    this.addSql(TURNS);
  }
}

const TURNS = `
alter table removed_files add column next_try_at timestamptz not null default now();
drop index removed_files_time;
create index removed_files_next_try on removed_files (next_try_at);
alter table chat_files add column text_due_at timestamptz not null default now();
create index chat_files_unread on chat_files (text_due_at) where status = 'pending' and is_stored;
`;
