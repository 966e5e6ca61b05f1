-- The tools, skills and personas of organizations, with their files. Those that ship with the service have no rows.

create table definitions (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  kind text not null check (kind in ('tool', 'skill', 'persona')),
  key text not null,
  name text not null,
  description text not null,
  category text not null,
  origin text not null check (origin in ('custom', 'marketplace')),
  version text not null,
  slug text,
  installed_digest text,
  persona jsonb,
  revision bigint not null default 1,
  file_count int not null default 0,
  file_bytes bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((kind = 'persona') = (persona is not null)),
  check ((origin = 'marketplace') = (slug is not null))
);
comment on column definitions.owner_id is 'Who added it; null when the account is gone.';
create index definitions_owner on definitions (owner_id) where owner_id is not null;
create unique index definitions_key on definitions (org_id, kind, key);
create index definitions_org on definitions (org_id, kind, id);
call add_tenant_policy('definitions');

create function count_definition_change() returns trigger language plpgsql as $$
begin
  insert into definition_versions (org_id, version)
    select o.id, 1 from orgs o where o.id = coalesce(new.org_id, old.org_id)
    on conflict (org_id) do update set version = definition_versions.version + 1;
  return null;
end $$;
create trigger definitions_are_counted after insert or update or delete on definitions
  for each row execute function count_definition_change();

create function number_definition_revision() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end $$;
create trigger definitions_are_revised before update on definitions
  for each row execute function number_definition_revision();

create table definition_files (
  definition_id uuid not null references definitions (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  path text not null,
  content text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (definition_id, path)
);
create index definition_files_org on definition_files (org_id);
call add_tenant_policy('definition_files');

-- The files of a new definition are written in the transaction that makes it, which began before: the time of the
-- definition's last change must not go back.
create function measure_definition_files() returns trigger language plpgsql as $$
begin
  update definitions d set updated_at = greatest(d.updated_at, now()),
    (file_count, file_bytes) = (
      select count(*), coalesce(sum(octet_length(f.content)), 0) from definition_files f where f.definition_id = d.id
    )
    where d.id in (select c.definition_id from changed c);
  return null;
end $$;
create trigger definition_files_are_added after insert on definition_files
  referencing new table as changed for each statement execute function measure_definition_files();
create trigger definition_files_are_changed after update on definition_files
  referencing new table as changed for each statement execute function measure_definition_files();
create trigger definition_files_are_removed after delete on definition_files
  referencing old table as changed for each statement execute function measure_definition_files();

-- One row for each organization that has ever had a definition of its own; its number grows with each change of one.
-- Content that is read with a version, or after it, is not older than it: the row stays locked until the change is
-- stored. An organization that is being removed has no version any more.
create table definition_versions (
  org_id uuid primary key references orgs (id) on delete cascade,
  version bigint not null
);
call add_tenant_policy('definition_versions');

-- Test calls of tools: a row contains the arguments and the outcome while somebody waits for it.
create table tool_test_runs (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  tool_key text not null,
  arguments json not null,
  begun_at timestamptz,
  outcome jsonb,
  created_at timestamptz not null default now()
);
create index tool_test_runs_org on tool_test_runs (org_id);
create index tool_test_runs_user on tool_test_runs (user_id);
create index tool_test_runs_age on tool_test_runs (created_at);
call add_tenant_policy('tool_test_runs');
