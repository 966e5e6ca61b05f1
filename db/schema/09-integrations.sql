-- Integrations: the credentials with which tools reach other services.

create table integrations (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  kind text not null,
  name text not null,
  base_url text,
  credentials bytea not null,
  credential_fields jsonb not null,
  secret_places jsonb not null,
  test_request jsonb,
  -- Changes with every field that requests to the service depend on.
  connection uuid not null,
  checked_at timestamptz,
  error text,
  account text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  command_variables jsonb not null default '{}',
  settings jsonb not null default '{}',
  used_at timestamptz,
  granted bytea,
  signed_in_at timestamptz,
  renewing_until timestamptz
);
comment on column integrations.command_variables is
  'The variables in which commands find credentials, each with the name of its field.';
comment on column integrations.settings is 'What it says beside its credentials, by the names of its kind. No secret.';
comment on column integrations.used_at is 'When a tool last used it, to the minute.';
comment on column integrations.granted is 'The tokens that requests are made with, encrypted.';
comment on column integrations.renewing_until is 'While a worker asks for another token: when it is given up.';
comment on column integrations.owner_id is 'Who added it; null when the account is gone.';
create index integrations_owner on integrations (owner_id) where owner_id is not null;
create index integrations_org on integrations (org_id, id);
create unique index integrations_name on integrations (org_id, lower(name));
create index integrations_kind on integrations (org_id, kind, id);
call add_tenant_policy('integrations');

-- Sign-ins with an integration that are under way.
create table integration_sign_ins (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  integration_id uuid not null references integrations (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  connection uuid not null,
  redirect_url text not null,
  state_digest bytea,
  sealed bytea not null,
  error text,
  expires_at timestamptz not null default now() + interval '10 minutes'
);
create unique index integration_sign_ins_state on integration_sign_ins (state_digest) where state_digest is not null;
create index integration_sign_ins_integration on integration_sign_ins (integration_id);
create index integration_sign_ins_user on integration_sign_ins (user_id);
create index integration_sign_ins_org on integration_sign_ins (org_id);
create index integration_sign_ins_expiry on integration_sign_ins (expires_at);
call add_tenant_policy('integration_sign_ins');

-- Grants to be revoked. The integration is gone, so the row contains everything that the request needs.
create table integration_revocations (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  kind text not null,
  base_url text,
  sealed bytea not null,
  created_at timestamptz not null default now()
);
create index integration_revocations_org on integration_revocations (org_id);
create index integration_revocations_age on integration_revocations (created_at);
call add_tenant_policy('integration_revocations');
