-- Groups, which give members rights beyond their role, bound what they use, and restrict them to some records.

create table permission_groups (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  name text not null,
  description text not null default '',
  permissions jsonb not null,
  limits jsonb not null,
  allowlists jsonb not null,
  default_chain_id uuid references provider_chains (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index permission_groups_name on permission_groups (org_id, lower(name));
create index permission_groups_org on permission_groups (org_id, id);
create index permission_groups_chain on permission_groups (default_chain_id) where default_chain_id is not null;
call add_tenant_policy('permission_groups');

create table permission_group_members (
  group_id uuid not null references permission_groups (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null,
  primary key (group_id, user_id),
  foreign key (org_id, user_id) references memberships (org_id, user_id) on delete cascade
);
create index permission_group_members_user on permission_group_members (org_id, user_id);
call add_tenant_policy('permission_group_members');
