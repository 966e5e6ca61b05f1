import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

const TENANT_TABLES = [
  'memberships',
  'api_keys',
  'agents',
  'provider_accounts',
  'chats',
  'turns',
  'messages',
  'token_usage',
  'turn_events',
];

/** Adds users, organizations, agents, providers, chats and their turns. */
export class Migration20261121FirstLight extends Migration {
  override up(): void {
    this.addSql(IDENTITY);
    this.addSql(CATALOG);
    this.addSql(CONVERSATIONS);
    this.addSql(STREAM);
    for (const table of TENANT_TABLES) this.addSql(tenantPolicy(table));
  }
}

const IDENTITY = `
create table users (
  id uuid primary key,
  email text not null,
  full_name text not null default '',
  password_hash text,
  is_managed boolean not null default false,
  active_org_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index users_email on users (email);

create table orgs (
  id uuid primary key,
  name text not null,
  icon text not null default '',
  color text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table users add constraint users_active_org foreign key (active_org_id) references orgs (id) on delete set null;
create index users_active_org on users (active_org_id);

create table memberships (
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  created_at timestamptz not null default now(),
  primary key (org_id, user_id)
);
create index memberships_user on memberships (user_id);

create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  generation int not null default 0,
  revoked_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

create table api_keys (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  name text not null,
  public_id text not null,
  secret_hash bytea not null,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index api_keys_public_id on api_keys (public_id);
create index api_keys_owner on api_keys (org_id, user_id);
create index api_keys_user on api_keys (user_id);

create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
`;

const CATALOG = `
create table agents (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  name text not null,
  description text not null default '',
  agent_type text not null,
  system_prompt text not null default '',
  soul jsonb not null default '{}',
  tools jsonb not null default '[]',
  skills jsonb not null default '[]',
  mcps jsonb not null default '[]',
  model_pref text,
  temperature double precision not null,
  max_tokens int not null,
  max_subagents int not null,
  max_concurrency int not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index agents_org on agents (org_id, id);

create table provider_accounts (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  provider_type text not null,
  name text not null,
  auth_type text not null,
  credentials bytea,
  model_name text,
  base_url text,
  cooldown_seconds int not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index provider_accounts_org on provider_accounts (org_id, id);
create index provider_accounts_user on provider_accounts (user_id);
`;

const CONVERSATIONS = `
create table chats (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  title text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index chats_owner on chats (org_id, user_id, updated_at desc);
create index chats_agent on chats (agent_id);
create index chats_user on chats (user_id);

create table turns (
  id uuid primary key,
  seq bigint not null generated always as identity,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'interrupted', 'failed')),
  attempt int not null default 0,
  interrupt_requested_at timestamptz,
  next_wake_at timestamptz not null default now() + interval '5 seconds',
  wake_count int not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz
);
create unique index turns_chat on turns (chat_id, seq);
create index turns_open on turns (chat_id, seq) where status in ('queued', 'running');
create index turns_due on turns (next_wake_at) where status in ('queued', 'running');
create index turns_ended on turns (ended_at) where ended_at is not null;
create index turns_org on turns (org_id);
create index turns_user on turns (user_id);

create table messages (
  id uuid primary key,
  seq bigint not null generated always as identity,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  turn_id uuid not null references turns (id) on delete cascade,
  role text not null check (role in ('user', 'assistant')),
  content text not null,
  metadata jsonb not null default '{}',
  provider_used text,
  agent_id uuid references agents (id) on delete set null,
  user_id uuid references users (id) on delete set null,
  excluded boolean not null default false,
  client_message_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index messages_chat on messages (chat_id, seq);
create unique index messages_turn_role on messages (turn_id, role);
create unique index messages_client_id on messages (chat_id, client_message_id) where client_message_id is not null;
create index messages_org on messages (org_id);
create index messages_agent on messages (agent_id);
create index messages_user on messages (user_id);

create table token_usage (
  turn_id uuid not null references turns (id) on delete cascade,
  step int not null,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  provider_account_id uuid references provider_accounts (id) on delete set null,
  model text not null,
  input_tokens int not null,
  output_tokens int not null,
  estimated boolean not null,
  created_at timestamptz not null default now(),
  primary key (turn_id, step)
);
create index token_usage_user on token_usage (org_id, user_id, created_at);
create index token_usage_chat on token_usage (chat_id);
create index token_usage_by_user on token_usage (user_id);
create index token_usage_account on token_usage (provider_account_id);
`;

// Unlogged: streamed text may be lost when the server crashes; the answer itself is stored durably in messages.
const STREAM = `
create unlogged table turn_events (
  turn_id uuid not null,
  attempt int not null,
  seq int not null,
  org_id uuid not null,
  event jsonb not null,
  created_at timestamptz not null default now(),
  primary key (turn_id, attempt, seq)
);
create index turn_events_age on turn_events (created_at);
`;
