import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds the files of chats: their records, their bytes and texts in pieces, and the files that a message names. */
export class Migration20261126ChatFiles extends Migration {
  override up(): void {
    this.addSql(FILES);
    for (const table of ['chat_files', 'chat_file_pieces', 'chat_file_texts']) this.addSql(tenantPolicy(table));
  }
}

// Pieces are not compressed: most files are already, and a part of a piece is read without the rest.
const FILES = `
create table chat_files (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  user_id uuid references users (id) on delete set null,
  name text not null,
  path_name text not null,
  media_type text not null,
  bytes bigint not null default 0,
  store text not null,
  is_stored boolean not null default false,
  status text not null default 'pending' check (status in ('pending', 'ready', 'failed')),
  error text,
  tries integer not null default 0,
  text_characters integer,
  has_text_apart boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index chat_files_path on chat_files (chat_id, path_name);
create index chat_files_org on chat_files (org_id) include (bytes);
create index chat_files_user on chat_files (user_id);
create index chat_files_unfinished on chat_files (created_at) where status = 'pending' or not is_stored;

create table chat_file_pieces (
  file_id uuid not null references chat_files (id) on delete cascade,
  seq integer not null,
  org_id uuid not null,
  content bytea not null,
  primary key (file_id, seq)
);
alter table chat_file_pieces alter column content set storage external;

create table chat_file_texts (
  file_id uuid not null references chat_files (id) on delete cascade,
  seq integer not null,
  org_id uuid not null,
  content text not null,
  primary key (file_id, seq)
);

alter table messages add column file_ids uuid[];
`;
