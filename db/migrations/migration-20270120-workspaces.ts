import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Keeps what is in the workspaces of chats, so that they can be restored on any worker. */
export class Migration20270120Workspaces extends Migration {
  override up(): void {
    this.addSql(TABLES);
    for (const table of ['workspaces', 'workspace_contents', 'workspace_pieces', 'workspace_entries'])
      this.addSql(tenantPolicy(table));
  }
}

// Entries go with their chat and not with their contents: a content that is still in use cannot be removed.
const TABLES = /* sql */ `
create table workspaces (
  chat_id uuid primary key references chats (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  version bigint not null default 0,
  holder uuid,
  held_until timestamptz
);
create index workspaces_org on workspaces (org_id);
comment on column workspaces.version is 'Counts its snapshots; 0 before the first.';
comment on column workspaces.holder is 'Who may store the next snapshot, until held_until.';

create table workspace_contents (
  id uuid primary key,
  chat_id uuid not null references chats (id) on delete cascade,
  org_id uuid not null,
  digest bytea,
  bytes bigint not null,
  store text not null,
  content bytea,
  unused_since timestamptz default now()
);
create index workspace_contents_chat on workspace_contents (chat_id);
create index workspace_contents_replaced on workspace_contents (org_id) include (bytes) where unused_since is not null;
create index workspace_contents_unused on workspace_contents (unused_since) where unused_since is not null;
alter table workspace_contents alter column content set storage external;
comment on column workspace_contents.digest is 'SHA-256; null until all of its bytes are stored.';
comment on column workspace_contents.content is 'The bytes of a small one; others are kept like uploaded files.';
comment on column workspace_contents.unused_since is 'When the last entry with it was gone; null while there is one.';

create table workspace_pieces (
  content_id uuid not null references workspace_contents (id) on delete cascade,
  seq integer not null,
  org_id uuid not null,
  content bytea not null,
  primary key (content_id, seq)
);
alter table workspace_pieces alter column content set storage external;

create table workspace_entries (
  chat_id uuid not null references chats (id) on delete cascade,
  id bytea not null,
  org_id uuid not null,
  part text not null check (part in ('files', 'edits', 'marks')),
  folder text not null,
  name text not null,
  type text not null check (type in ('file', 'folder', 'link')),
  mode integer not null,
  bytes bigint not null,
  modified_at timestamptz not null,
  content_id uuid references workspace_contents (id),
  target text,
  primary key (chat_id, id)
);
create index workspace_entries_content on workspace_entries (content_id);
comment on column workspace_entries.id is 'The SHA-256 of its part and path, which may be too long for an index.';
comment on column workspace_entries.part is 'The files, or what is kept beside them: records of edits, marks of foreign text.';
comment on column workspace_entries.content_id is 'Null for an empty file, a folder and a link.';

create trigger removed_contents_are_noted after delete on workspace_contents
  for each row when (old.store not in ('postgres', 'row')) execute function note_removed_file();
`;
