-- The content of chats' workspaces, so that they can be restored on any worker.

create table workspaces (
  chat_id uuid primary key references chats (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  version bigint not null default 0,
  holder uuid,
  lease_until timestamptz
);
comment on column workspaces.version is 'Counts its snapshots; 0 before the first.';
comment on column workspaces.holder is 'Who may store the next snapshot, until lease_until.';
create index workspaces_org on workspaces (org_id);
call add_tenant_policy('workspaces');

create table workspace_contents (
  id uuid primary key,
  chat_id uuid not null references chats (id) on delete cascade,
  org_id uuid not null,
  digest bytea,
  bytes bigint not null,
  store text not null,
  content bytea storage external,
  unused_since timestamptz default now()
);
comment on column workspace_contents.digest is 'SHA-256; null until all of its bytes are stored.';
comment on column workspace_contents.content is 'The bytes of a small one; others are kept like uploaded files.';
comment on column workspace_contents.unused_since is 'When the last entry with it was gone; null while there is one.';
create index workspace_contents_chat on workspace_contents (chat_id);
create index workspace_contents_replaced on workspace_contents (org_id) include (bytes) where unused_since is not null;
create index workspace_contents_unused on workspace_contents (unused_since) where unused_since is not null;
call add_tenant_policy('workspace_contents');

create trigger removed_contents_are_noted after delete on workspace_contents
  for each row when (old.store not in ('postgres', 'row')) execute function note_removed_file();

create table workspace_chunks (
  content_id uuid not null references workspace_contents (id) on delete cascade,
  seq int not null,
  org_id uuid not null,
  content bytea storage external not null,
  primary key (content_id, seq)
);
call add_tenant_policy('workspace_chunks');

-- Entries go with their chat and not with their contents: a content that is still in use cannot be removed.
create table workspace_entries (
  chat_id uuid not null references chats (id) on delete cascade,
  id bytea not null,
  org_id uuid not null,
  part text not null check (part in ('files', 'edits', 'marks')),
  folder text not null,
  name text not null,
  type text not null check (type in ('file', 'folder', 'link')),
  mode int not null,
  bytes bigint not null,
  modified_at timestamptz not null,
  content_id uuid references workspace_contents (id),
  target text,
  primary key (chat_id, id)
);
comment on column workspace_entries.id is 'The SHA-256 of its part and path, which may be too long for an index.';
comment on column workspace_entries.part is
  'The files, or what is kept beside them: records of edits, marks of foreign text.';
comment on column workspace_entries.content_id is 'Null for an empty file, a folder and a link.';
create index workspace_entries_content on workspace_entries (content_id);
call add_tenant_policy('workspace_entries');

-- The bytes of a chat's workspace.
create table workspace_usage (
  chat_id uuid primary key references chats (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  bytes bigint not null
);
create index workspace_usage_org on workspace_usage (org_id) include (bytes);
call add_tenant_policy('workspace_usage');
