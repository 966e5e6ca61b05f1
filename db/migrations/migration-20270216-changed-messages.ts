import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Notes which messages have a new text: for workers to enter them into the search again, and to count their bytes. */
export class Migration20270216ChangedMessages extends Migration {
  override up(): void {
    this.addSql(TABLES);
    for (const table of ['changed_messages', 'message_size_changes']) this.addSql(tenantPolicy(table));
  }
}

// A change is a row of its own, so that nobody who changes a message waits for a worker. The message may be gone.
const TABLES = /* sql */ `
create table changed_messages (
  seq bigint generated always as identity primary key,
  org_id uuid not null,
  message_id uuid not null
);
comment on table changed_messages is 'Messages whose text has changed since the search knows them; a worker empties it.';

create table message_size_changes (
  seq bigint generated always as identity primary key,
  org_id uuid not null,
  written_at timestamptz not null,
  bytes bigint not null
);
comment on table message_size_changes is 'By how much messages have grown; a worker counts it and empties the table.';
comment on column message_size_changes.written_at is 'When the message was written, not when it changed.';
`;
