import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds workflows and their runs, whose turns say which step of which run they are an attempt at. */
export class Migration20261215AgentWorkflows extends Migration {
  override up(): void {
    this.addSql(WORKFLOWS);
    this.addSql(tenantPolicy('agent_workflows'));
    this.addSql(tenantPolicy('workflow_runs'));
  }
}

const WORKFLOWS = `
create table agent_workflows (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  agent_id uuid not null references agents (id) on delete cascade,
  name text not null,
  description text not null,
  trigger_type text not null,
  prompt_template text not null,
  steps jsonb not null,
  is_active boolean not null,
  webhook_secret bytea,
  max_concurrent_runs integer,
  time_limit_minutes integer,
  keep_runs_days integer not null,
  purge_at timestamptz not null default now() + interval '1 hour',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index agent_workflows_org on agent_workflows (org_id, id);
create index agent_workflows_owner on agent_workflows (owner_id) where owner_id is not null;
create index agent_workflows_agent on agent_workflows (agent_id);
create index agent_workflows_purge on agent_workflows (purge_at);
comment on column agent_workflows.owner_id is 'In whose name its webhook starts runs: who last changed what they do.';
comment on column agent_workflows.max_concurrent_runs is 'Further runs wait in order; null for no bound.';
comment on column agent_workflows.purge_at is 'When the sweeper looks for runs that are kept long enough.';

create table workflow_runs (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  workflow_id uuid not null references agent_workflows (id) on delete cascade,
  chat_id uuid references chats (id) on delete set null,
  user_id uuid not null references users (id) on delete cascade,
  triggered_by text not null,
  delivery_key text,
  status text not null check (status in ('queued', 'running', 'completed', 'failed', 'interrupted')),
  version integer not null default 1,
  variables jsonb not null,
  missing_variables jsonb not null,
  steps jsonb not null,
  time_limit_minutes integer,
  prompt text not null,
  output text,
  error text,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  interrupt_requested_at timestamptz,
  deadline_at timestamptz,
  due_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index workflow_runs_workflow on workflow_runs (workflow_id, id);
create unique index workflow_runs_delivery on workflow_runs (workflow_id, delivery_key) where delivery_key is not null;
create index workflow_runs_open on workflow_runs (workflow_id, id) where completed_at is null;
create index workflow_runs_due on workflow_runs (due_at) where due_at is not null;
create index workflow_runs_ended on workflow_runs (workflow_id, completed_at) where completed_at is not null;
create index workflow_runs_org on workflow_runs (org_id);
create index workflow_runs_chat on workflow_runs (chat_id) where chat_id is not null;
create index workflow_runs_user on workflow_runs (user_id);
comment on column workflow_runs.user_id is 'In whose name it runs.';
comment on column workflow_runs.delivery_key is 'What the sender calls the request: the same one starts no second run.';
comment on column workflow_runs.status is 'queued: it waits for a place among the runs of its workflow. running: it has one.';
comment on column workflow_runs.version is 'Changes with every move. A move that was decided by an older one is not made.';
comment on column workflow_runs.due_at is 'When the sweeper looks at it; null while its turn, or another run, moves it on.';

alter table turns
  add column run_id uuid references workflow_runs (id) on delete set null,
  add column run_step smallint,
  add column run_attempt smallint;
create unique index turns_run on turns (run_id, run_step, run_attempt) where run_id is not null;
comment on column turns.run_id is 'The run of a workflow that the turn is an attempt at a step of.';
`;
