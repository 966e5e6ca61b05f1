-- API keys and device tokens.

create table api_keys (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  name text not null,
  public_id text not null,
  secret_hash bytea not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  hint text,
  -- Null for a key of unknown origin.
  made_by text check (made_by in ('sign_in', 'device', 'key')),
  -- No foreign key: the key of a sign-in outlives it.
  session_id uuid,
  -- The key that it was made with, and ends with.
  parent_key_id uuid references api_keys (id) on delete cascade,
  -- For a key that was made with a device: when the session of the device ends.
  expires_at timestamptz,
  -- A credential ends with the membership that it is for, also when both change in the same instant.
  constraint api_keys_membership
    foreign key (org_id, user_id) references memberships (org_id, user_id) on delete cascade
);
create unique index api_keys_public_id on api_keys (public_id);
create index api_keys_owner on api_keys (org_id, user_id);
create index api_keys_user on api_keys (user_id);
create index api_keys_session on api_keys (session_id) where session_id is not null;
create index api_keys_parent on api_keys (parent_key_id) where parent_key_id is not null;
create index api_keys_org on api_keys (org_id, id);
create index api_keys_expiry on api_keys (expires_at) where expires_at is not null;
call add_tenant_policy('api_keys');

create function retire_api_key() returns trigger language plpgsql as $$
begin
  insert into retired_api_keys (public_id, org_id, user_id, api_key_id)
    select old.public_id, o.id, u.id, old.id from orgs o, users u where o.id = old.org_id and u.id = old.user_id;
  return null;
end $$;
create trigger api_keys_are_retired after delete on api_keys for each row execute function retire_api_key();
create trigger api_keys_are_rotated after update on api_keys for each row
  when (old.public_id <> new.public_id) execute function retire_api_key();

-- Whose a key was, for the audit log when somebody uses it after its end.
create table retired_api_keys (
  public_id text primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  api_key_id uuid not null,
  retired_at timestamptz not null default now()
);
create index retired_api_keys_org on retired_api_keys (org_id);
create index retired_api_keys_user on retired_api_keys (user_id);
create index retired_api_keys_age on retired_api_keys (retired_at);
call add_tenant_policy('retired_api_keys');

-- Each rotation retires a value; the newest thousand of each user are remembered.
create function forget_old_retired_keys() returns trigger language plpgsql as $$
begin
  delete from retired_api_keys where public_id in (
    select public_id from retired_api_keys where user_id = new.user_id order by retired_at desc offset 1000
  );
  return null;
end $$;
create trigger retired_keys_are_few after insert on retired_api_keys
  for each row execute function forget_old_retired_keys();

-- The devices of users: each has a session, and a key of its own.
create table device_tokens (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  session_id uuid not null references sessions (id) on delete cascade,
  api_key_id uuid references api_keys (id) on delete set null,
  name text not null,
  platform text not null,
  public_id text not null,
  secret_hash bytea not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  foreign key (org_id, user_id) references memberships (org_id, user_id) on delete cascade
);
create unique index device_tokens_public_id on device_tokens (public_id);
create index device_tokens_owner on device_tokens (org_id, user_id);
create index device_tokens_user on device_tokens (user_id);
create index device_tokens_session on device_tokens (session_id);
create index device_tokens_api_key on device_tokens (api_key_id) where api_key_id is not null;
call add_tenant_policy('device_tokens');
