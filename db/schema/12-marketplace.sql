-- Indexes of the marketplace with their items, beside those that ship with the service, and what was installed. Indexes
-- and items belong to no organization: all may read them, and only the service itself writes them.

create table marketplace_indexes (
  id uuid primary key,
  source text not null unique,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  checked_at timestamptz,
  fetched_at timestamptz,
  failures int not null default 0,
  error text,
  refused jsonb not null default '[]',
  asked_at timestamptz
);
comment on column marketplace_indexes.source is 'Its address, without credentials and query.';
comment on column marketplace_indexes.checked_at is 'When it was last tried; fetched_at: when that last succeeded.';
comment on column marketplace_indexes.asked_at is
  'When somebody has asked for it; null once it is being fetched for them.';
create index marketplace_indexes_due on marketplace_indexes (due_at);
call add_system_policy('marketplace_indexes');
create policy readable on marketplace_indexes for select using (true);

create table marketplace_items (
  index_id uuid not null references marketplace_indexes (id) on delete cascade,
  slug text not null,
  sha256 text not null,
  kind text not null,
  name text not null,
  version text not null,
  summary text not null,
  tags text[] not null,
  words text not null,
  bytes int not null,
  files text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (index_id, slug)
);
comment on column marketplace_items.words is 'What a search looks through, in lower case.';
comment on column marketplace_items.files is 'JSON: pairs of path and text.';
create index marketplace_items_slug on marketplace_items (slug);
call add_system_policy('marketplace_items');
create policy readable on marketplace_items for select using (true);

create table marketplace_installs (
  org_id uuid not null references orgs (id) on delete cascade,
  slug text not null,
  version text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  source text not null default 'builtin',
  -- Edited records that were kept when the item was upgraded.
  kept jsonb not null default '[]',
  primary key (org_id, slug)
);
comment on column marketplace_installs.kept is 'Of each such record: kind, key and id.';
call add_tenant_policy('marketplace_installs');
