import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

const TENANT_TABLES = [
  'retired_api_keys',
  'invites',
  'device_tokens',
  'permission_groups',
  'permission_group_members',
  'audit_log',
  'audit_log_records',
  'token_usage_hours',
];

/** Adds one owner to each organization, invitations, managed accounts and the devices of their users. */
export class Migration20261121WhoMay extends Migration {
  override up(): void {
    this.addSql(ORGANIZATIONS);
    this.addSql(PERMISSIONS);
    this.addSql(SLOTS);
    this.addSql(BUDGETS);
    this.addSql(AUDIT);
    for (const table of TENANT_TABLES) this.addSql(tenantPolicy(table));
  }
}

// A deleted organization has no members any more, so nobody reaches it; its records are removed afterwards.
const ORGANIZATIONS = `
alter table orgs add column deleted_at timestamptz;
create index orgs_deleted on orgs (deleted_at) where deleted_at is not null;

alter table users add column managed_org_id uuid references orgs (id) on delete set null;
create index users_managed_org on users (managed_org_id) where managed_org_id is not null;

-- The session of a device reaches one organization, whatever else its user belongs to.
alter table sessions add column bound_org_id uuid references orgs (id) on delete cascade;
create index sessions_bound_org on sessions (bound_org_id) where bound_org_id is not null;

create unique index memberships_owner on memberships (org_id) where role = 'owner';

-- A credential ends with the membership that it is for, also when both change in the same instant.
delete from api_keys k where not exists (
  select from memberships m where m.org_id = k.org_id and m.user_id = k.user_id
);
alter table api_keys add constraint api_keys_membership
  foreign key (org_id, user_id) references memberships (org_id, user_id) on delete cascade;

-- Whose a key was, for the audit log when somebody tries it after its end.
create table retired_api_keys (
  public_id text primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  api_key_id uuid not null,
  retired_at timestamptz not null default now()
);
create index retired_api_keys_org on retired_api_keys (org_id);
create index retired_api_keys_user on retired_api_keys (user_id);
create function retire_api_key() returns trigger language plpgsql as $$
begin
  insert into retired_api_keys (public_id, org_id, user_id, api_key_id)
    select old.public_id, o.id, u.id, old.id from orgs o, users u where o.id = old.org_id and u.id = old.user_id;
  return null;
end $$;
create trigger api_keys_are_retired after delete on api_keys for each row execute function retire_api_key();
create trigger api_keys_are_rotated after update on api_keys for each row
  when (old.public_id <> new.public_id) execute function retire_api_key();

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
`;

// policy_version changes with every change of a group that decides about a member's rights.
const PERMISSIONS = `
alter table memberships add column policy_version uuid not null default gen_random_uuid();

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

create table permission_group_members (
  group_id uuid not null references permission_groups (id) on delete cascade,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null,
  primary key (group_id, user_id),
  foreign key (org_id, user_id) references memberships (org_id, user_id) on delete cascade
);
create index permission_group_members_user on permission_group_members (org_id, user_id);
`;

// turns.slot is a running turn's number among those of its user: 1 and up are its own, 0 is the slot of the turn above
// it, which waits for it. It is free when the turn has ended, for whatever reason.
const SLOTS = `
alter table turns
  add column slot int check (slot >= 0),
  add column is_waiting_for_slot boolean not null default false;
create unique index turns_slot on turns (org_id, user_id, slot) where slot > 0 and status = 'running';
create unique index turns_lent_slot on turns (parent_turn_id) where slot = 0 and status = 'running';
create index turns_waiting_for_slot on turns (org_id, user_id, seq) where is_waiting_for_slot and status = 'running';
`;

// The tokens of each hour are summed as they are used, so that a budget of years is read as fast as one of a day. Hours
// begin as they do in UTC; rows in the partial first hour of a window are read one by one.
const BUDGETS = `
drop index token_usage_user;
create index token_usage_user on token_usage (org_id, user_id, created_at) include (input_tokens, output_tokens);

create table token_usage_hours (
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  hour timestamptz not null,
  tokens bigint not null,
  primary key (org_id, user_id, hour)
);
create index token_usage_hours_user on token_usage_hours (user_id);
insert into token_usage_hours (org_id, user_id, hour, tokens)
  select org_id, user_id, date_trunc('hour', created_at, 'UTC'), sum(input_tokens + output_tokens)
  from token_usage group by 1, 2, 3;

create function add_to_usage_hour() returns trigger language plpgsql as $$
begin
  insert into token_usage_hours (org_id, user_id, hour, tokens)
  values (new.org_id, new.user_id, date_trunc('hour', new.created_at, 'UTC'), new.input_tokens + new.output_tokens)
  on conflict (org_id, user_id, hour) do update set tokens = token_usage_hours.tokens + excluded.tokens;
  return null;
end $$;
create trigger token_usage_counts after insert on token_usage for each row execute function add_to_usage_hour();
`;

// Entries outlive the accounts, sessions and records that they name, so they have no foreign keys. They cannot be
// changed, and are removed only with their organization, once its row is gone. The records that an entry names have a
// table of their own: row-level security lets no index serve a search in an array.
const AUDIT = `
create table audit_log (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  actor_id uuid not null,
  session_id uuid,
  api_key_id uuid,
  action text not null,
  record_type text not null,
  record_id uuid,
  related_ids uuid[] not null,
  fields text[] not null,
  outcome text not null check (outcome in ('success', 'denied', 'failed')),
  status smallint not null,
  ip text not null,
  attempts int not null check (attempts > 0),
  created_at timestamptz not null
);
create index audit_log_org on audit_log (org_id, id);
create index audit_log_actor on audit_log (org_id, actor_id, id);
create index audit_log_action on audit_log (org_id, action, id);
create index audit_log_record_type on audit_log (org_id, record_type, id);
create index audit_log_outcome on audit_log (org_id, outcome, id);

create table audit_log_records (
  org_id uuid not null references orgs (id) on delete cascade,
  record_id uuid not null,
  entry_id uuid not null references audit_log (id) on delete cascade,
  primary key (org_id, record_id, entry_id)
);
create index audit_log_records_entry on audit_log_records (entry_id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if not exists (select from orgs where id = old.org_id) then
      return old;
    end if;
  end if;
  raise exception 'the audit log only grows' using errcode = 'insufficient_privilege';
end $$;
create function refuse_sudden_deletion() returns trigger language plpgsql as $$
begin
  if old.deleted_at is null then
    raise exception 'an organization is deleted in two steps' using errcode = 'insufficient_privilege';
  end if;
  return old;
end $$;
create trigger orgs_are_marked_first before delete on orgs for each row execute function refuse_sudden_deletion();
create trigger audit_log_only_grows before update or delete on audit_log
  for each row execute function refuse_audit_change();
create trigger audit_log_is_kept before truncate on audit_log
  for each statement execute function refuse_audit_change();
create trigger audit_log_records_only_grow before update or delete on audit_log_records
  for each row execute function refuse_audit_change();
create trigger audit_log_records_are_kept before truncate on audit_log_records
  for each statement execute function refuse_audit_change();
`;
