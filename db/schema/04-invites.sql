-- Invitations to join an organization.

create table invites (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  created_by uuid not null references users (id) on delete cascade,
  role text not null check (role in ('viewer', 'member', 'admin')),
  email text,
  full_name text not null default '',
  public_id text not null,
  secret_hash bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index invites_public_id on invites (public_id);
create index invites_open on invites (org_id, id) where used_at is null;
create index invites_org on invites (org_id);
create index invites_creator on invites (created_by);
call add_tenant_policy('invites');
