import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

const TENANT_TABLES = ['provider_chains', 'model_steps', 'tool_calls', 'tasks', 'agent_memories'];

/**
 * Adds the steps of turns, the ledger of their tool calls, delegation, provider chains, account cooldowns and memories.
 */
export class Migration20261121DurableHeart extends Migration {
  override up(): void {
    this.addSql(CHAINS);
    this.addSql(STEPS);
    this.addSql(MEMORIES);
    for (const table of TENANT_TABLES) this.addSql(tenantPolicy(table));
  }
}

const CHAINS = `
create table provider_chains (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  name text not null,
  is_default boolean not null default false,
  steps jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index provider_chains_org on provider_chains (org_id, id);
create unique index provider_chains_default on provider_chains (org_id) where is_default;

alter table agents add column provider_chain_id uuid references provider_chains (id) on delete set null;
create index agents_chain on agents (provider_chain_id) where provider_chain_id is not null;

alter table provider_accounts
  add column cooldown_until timestamptz,
  add column disabled_at timestamptz,
  add column disabled_reason text,
  add column last_used_at timestamptz;
`;

// turns.step is the model step that was begun last (-1: none), step_tries how often. A model step may store something
// only while (attempt, step) are still those it was begun with.
const STEPS = `
alter table chats
  add column provider_chain_id uuid references provider_chains (id) on delete set null,
  add column parent_chat_id uuid references chats (id) on delete cascade;
create index chats_chain on chats (provider_chain_id) where provider_chain_id is not null;
create index chats_parent on chats (parent_chat_id) where parent_chat_id is not null;

alter table turns
  add column step int not null default -1,
  add column step_tries int not null default 0,
  add column waiting_until timestamptz,
  add column waiting_since timestamptz,
  add column deadline_at timestamptz,
  add column parent_turn_id uuid references turns (id) on delete cascade,
  add column ancestor_ids uuid[] not null default '{}';
create index turns_waiting on turns (org_id) where waiting_until is not null;
create index turns_parent on turns (parent_turn_id) where parent_turn_id is not null;

create table model_steps (
  turn_id uuid not null references turns (id) on delete cascade,
  step int not null,
  org_id uuid not null references orgs (id) on delete cascade,
  text text not null,
  raw_text text,
  state jsonb,
  created_at timestamptz not null default now(),
  primary key (turn_id, step)
);
create index model_steps_org on model_steps (org_id);

create table tool_calls (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  turn_id uuid not null references turns (id) on delete cascade,
  step int not null,
  position int not null,
  name text not null,
  label text not null,
  arguments jsonb not null,
  effect text not null check (effect in ('read', 'keyed', 'once', 'agent')),
  status text not null check (status in ('planned', 'running', 'success', 'error', 'unknown', 'interrupted')),
  attempt int not null default 0,
  result text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz
);
create unique index tool_calls_place on tool_calls (turn_id, step, position);
create index tool_calls_open on tool_calls (turn_id) where status in ('planned', 'running');
create index tool_calls_org on tool_calls (org_id);

create table tasks (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null references chats (id) on delete cascade,
  title text not null,
  description text not null default '',
  assigned_agent_id uuid references agents (id) on delete set null,
  priority text not null default 'medium' check (priority in ('low', 'medium', 'high', 'urgent')),
  status text not null default 'pending'
    check (status in ('pending', 'in_progress', 'completed', 'failed', 'interrupted', 'cancelled')),
  parent_turn_id uuid references turns (id) on delete cascade,
  call_id uuid references tool_calls (id) on delete cascade,
  sub_chat_id uuid references chats (id) on delete set null,
  output text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz
);
create index tasks_chat on tasks (chat_id, id);
create unique index tasks_call on tasks (call_id) where call_id is not null;
create index tasks_parent_turn on tasks (parent_turn_id) where parent_turn_id is not null;
create index tasks_sub_chat on tasks (sub_chat_id) where sub_chat_id is not null;
create index tasks_agent on tasks (assigned_agent_id) where assigned_agent_id is not null;
create index tasks_org on tasks (org_id);
`;

const MEMORIES = `
create table agent_memories (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  agent_id uuid not null references agents (id) on delete cascade,
  content text not null,
  type text not null check (type in ('fact', 'instruction', 'context', 'example')),
  tags jsonb not null default '[]',
  priority int not null check (priority between 1 and 5),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index agent_memories_agent on agent_memories (agent_id, id);
create index agent_memories_org on agent_memories (org_id);
`;
