-- Accounts at model providers, chains of accounts, and profiles, which choose a model by the kind of work.

create table provider_accounts (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  -- The owner; a shared account outlives them.
  user_id uuid references users (id) on delete set null,
  provider_type text not null,
  name text not null,
  auth_type text not null,
  credentials bytea,
  model_name text,
  base_url text,
  cooldown_seconds int not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  cooldown_until timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  last_used_at timestamptz,
  shared boolean not null default false,
  -- Nobody sees or uses a tentative account before it is kept.
  is_tentative boolean not null default false,
  deleted_by uuid references users (id) on delete set null,
  -- Why the last call with it failed; both are null when it did not.
  last_failure text,
  last_failed_at timestamptz,
  constraint provider_accounts_tentative check (not is_tentative or deleted_at is not null),
  constraint provider_accounts_deleted_by check (deleted_by is null or deleted_at is not null)
);
create index provider_accounts_org on provider_accounts (org_id, id);
create index provider_accounts_user on provider_accounts (user_id);
create index provider_accounts_shared on provider_accounts (org_id, id) where shared and deleted_at is null;
create index provider_accounts_own on provider_accounts (org_id, user_id, id) where not shared and deleted_at is null;
create index provider_accounts_tentative_created on provider_accounts (created_at) where is_tentative;
create index provider_accounts_deleted_by on provider_accounts (deleted_by) where deleted_by is not null;
call add_tenant_policy('provider_accounts');

-- Sign-ins at providers that are under way.
create table provider_sign_ins (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  provider_type text not null,
  account_name text not null,
  status text not null default 'pending'
    check (status in ('pending', 'awaiting_code', 'verifying', 'ready', 'failed', 'expired')),
  detail text,
  auth_url text,
  user_code text,
  tries int not null default 0,
  code bytea,
  credentials bytea,
  account_id uuid references provider_accounts (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '15 minutes',
  unique (org_id, user_id, provider_type, account_name)
);
comment on column provider_sign_ins.code is
  'Encrypted; what the person came back with, until the program has taken it.';
comment on column provider_sign_ins.credentials is
  'Encrypted; the files of the sign-in, until an account is made of it.';
create index provider_sign_ins_user on provider_sign_ins (user_id);
create index provider_sign_ins_account on provider_sign_ins (account_id) where account_id is not null;
create index provider_sign_ins_expiry on provider_sign_ins (expires_at);
call add_tenant_policy('provider_sign_ins');

-- Who uses an account that serves one call at a time.
create table provider_account_uses (
  account_id uuid primary key references provider_accounts (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  holder uuid not null,
  until timestamptz not null
);
create index provider_account_uses_org on provider_account_uses (org_id);
call add_tenant_policy('provider_account_uses');

create table provider_chains (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  name text not null,
  is_default boolean not null default false,
  steps jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Who made it; administrators change a chain whose maker is not known.
  owner_id uuid references users (id) on delete set null
);
create index provider_chains_org on provider_chains (org_id, id);
create unique index provider_chains_default on provider_chains (org_id) where is_default;
create index provider_chains_owner on provider_chains (owner_id) where owner_id is not null;
call add_tenant_policy('provider_chains');

create table model_profiles (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  name text not null,
  description text not null,
  provider_type text,
  model_name text,
  provider_chain_id uuid references provider_chains (id) on delete set null,
  tags jsonb not null,
  priority int not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index model_profiles_org on model_profiles (org_id, id);
create unique index model_profiles_name on model_profiles (org_id, lower(name));
create index model_profiles_owner on model_profiles (owner_id);
create index model_profiles_chain on model_profiles (provider_chain_id);
call add_tenant_policy('model_profiles');
