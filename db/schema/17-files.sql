-- Files of chats and of documents of knowledge bases: their records, and their bytes and texts in chunks.

-- A file belongs to a chat or to a document, and goes with it; to neither while it arrives for a document, which is added
-- once all of it is there.
create table chat_files (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid references chats (id) on delete cascade,
  document_id uuid,
  user_id uuid references users (id) on delete set null,
  name text not null,
  path_name text not null,
  media_type text not null,
  bytes bigint not null default 0,
  store text not null,
  is_stored boolean not null default false,
  status text not null default 'pending' check (status in ('pending', 'ready', 'failed')),
  error text,
  tries int not null default 0,
  text_characters int,
  has_text_apart boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint chat_files_owner check (num_nonnulls(chat_id, document_id) = 1 or (chat_id is null and not is_stored))
);
create unique index chat_files_path on chat_files (chat_id, path_name);
create index chat_files_document on chat_files (document_id) where document_id is not null;
create index chat_files_org on chat_files (org_id) include (bytes);
create index chat_files_user on chat_files (user_id);
create index chat_files_unfinished on chat_files (created_at) where status = 'pending' or not is_stored;
create index chat_files_unread on chat_files (updated_at) where status = 'pending' and is_stored;
call add_tenant_policy('chat_files');

-- By a trigger, because records of files go with their chats and organizations too.
create function note_removed_file() returns trigger language plpgsql as $$
begin
  insert into removed_files (file_id, org_id, store) values (old.id, old.org_id, old.store) on conflict do nothing;
  return null;
end $$;
create trigger removed_files_are_noted after delete on chat_files
  for each row when (old.store <> 'postgres') execute function note_removed_file();

-- Counts bytes by triggers, for the same reason; once for each statement, so that a chat with many files goes at the
-- price of one.
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
create trigger added_file_bytes after insert on chat_files referencing new table as files_after
  for each statement execute function count_file_bytes();
create trigger removed_file_bytes after delete on chat_files referencing old table as files_before
  for each statement execute function count_file_bytes();
create trigger changed_file_bytes after update on chat_files
  referencing old table as files_before new table as files_after for each statement execute function count_file_bytes();

-- Chunks are not compressed: most files are already, and a part of a chunk is read without the rest.
create table chat_file_chunks (
  file_id uuid not null references chat_files (id) on delete cascade,
  seq int not null,
  org_id uuid not null,
  content bytea storage external not null,
  primary key (file_id, seq)
);
call add_tenant_policy('chat_file_chunks');

create table chat_file_texts (
  file_id uuid not null references chat_files (id) on delete cascade,
  seq int not null,
  org_id uuid not null,
  content text not null,
  primary key (file_id, seq)
);
call add_tenant_policy('chat_file_texts');

-- The sum of what an organization has uploaded, so that no upload has to add it up.
create table chat_file_usage (
  org_id uuid primary key references orgs (id) on delete cascade,
  bytes bigint not null
);
call add_tenant_policy('chat_file_usage');

-- Files whose records are gone and whose bytes are outside of the database, so that they are removed there too. Without
-- foreign keys, as what they belonged to is gone.
create table removed_files (
  file_id uuid primary key,
  org_id uuid not null,
  store text not null,
  removed_at timestamptz not null default now(),
  -- One that cannot be removed does not block the others.
  next_try_at timestamptz not null default now()
);
create index removed_files_next_try on removed_files (next_try_at);
call add_tenant_policy('removed_files');
