import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Adds schedules, whose runs are rows beside those of workflows: at most one for each slot. */
export class Migration20261225Schedules extends Migration {
  override up(): void {
    this.addSql(SCHEDULES);
    this.addSql(tenantPolicy('schedules'));
    this.addSql(RUNS);
  }
}

const SCHEDULES = `
create table schedules (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  workflow_id uuid unique references agent_workflows (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  agent_id uuid not null references agents (id) on delete cascade,
  name text not null,
  description text,
  prompt text not null,
  cron_expr text,
  interval_minutes integer,
  timezone text not null,
  overlap text not null check (overlap in ('skip', 'buffer_one', 'allow_all', 'cancel_other')),
  catchup_minutes integer not null,
  jitter_seconds integer not null,
  pause_on_failure boolean not null,
  start_at timestamptz,
  end_at timestamptz,
  max_runs integer,
  keep_runs_days integer not null,
  runs_count integer not null default 0,
  is_active boolean not null,
  pause_reason text,
  next_run_at timestamptz,
  due_at timestamptz,
  purge_at timestamptz not null default now() + interval '1 hour',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((cron_expr is null) <> (interval_minutes is null)),
  check (is_active = (next_run_at is not null) and is_active = (due_at is not null))
);
create index schedules_org on schedules (org_id, id);
create index schedules_owner on schedules (owner_id) where owner_id is not null;
create index schedules_agent on schedules (agent_id);
create index schedules_due on schedules (due_at) where due_at is not null;
create index schedules_purge on schedules (purge_at) where workflow_id is null;
comment on column schedules.workflow_id is 'The workflow whose times it holds; null for a schedule of its own.';
comment on column schedules.owner_id is 'In whose name it starts runs: who last changed what they do, or when.';
comment on column schedules.runs_count is 'Slots that have started a run, for max_runs.';
comment on column schedules.pause_reason is 'Why it stopped by itself; null while it is active, and when a person stopped it.';
comment on column schedules.next_run_at is 'The next slot; null while it is not active.';
comment on column schedules.due_at is 'When a worker looks at it: the next slot with its jitter, or later while a worker does.';
comment on column schedules.purge_at is 'When the sweeper looks for runs that are kept long enough.';
`;

const RUNS = `
alter table workflow_runs
  alter column workflow_id drop not null,
  add column schedule_id uuid references schedules (id) on delete cascade,
  add column slot timestamptz,
  add check (workflow_id is not null or schedule_id is not null),
  add check (slot is null or schedule_id is not null);
create index workflow_runs_schedule on workflow_runs (schedule_id, id) where schedule_id is not null;
create unique index workflow_runs_slot on workflow_runs (schedule_id, slot) where slot is not null;
create unique index workflow_runs_schedule_delivery on workflow_runs (schedule_id, delivery_key)
  where schedule_id is not null and delivery_key is not null;
create index workflow_runs_schedule_open on workflow_runs (schedule_id, id)
  where schedule_id is not null and completed_at is null;
create index workflow_runs_schedule_ended on workflow_runs (schedule_id, completed_at)
  where schedule_id is not null and completed_at is not null;
comment on column workflow_runs.workflow_id is 'The workflow that it is a run of; null for the run of a schedule of its own.';
comment on column workflow_runs.slot is 'The time of its schedule that it was started for: one run for each.';
`;
