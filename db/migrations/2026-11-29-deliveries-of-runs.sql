-- What of the runs of a workflow or a schedule is delivered to which destination, and the deliveries themselves, which
-- have their texts as those were when the run ended.

create table run_destinations (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  workflow_id uuid references agent_workflows (id) on delete cascade,
  schedule_id uuid references schedules (id) on delete cascade,
  destination_id uuid not null references destinations (id) on delete cascade,
  place int not null,
  told_of text not null check (told_of in ('success', 'failure', 'always', 'undelivered')),
  subject text,
  body text,
  files jsonb not null,
  check (num_nonnulls(workflow_id, schedule_id) = 1)
);
comment on table run_destinations is 'Which runs of a workflow or a schedule are reported to a destination, and how.';
comment on column run_destinations.told_of is
  'The runs that it is told of: by their end, or because another destination could not be told.';
comment on column run_destinations.files is 'Globs of the files of the workspace that go with the report.';
create index run_destinations_org on run_destinations (org_id);
create index run_destinations_workflow on run_destinations (workflow_id, place) where workflow_id is not null;
create index run_destinations_schedule on run_destinations (schedule_id, place) where schedule_id is not null;
create index run_destinations_destination on run_destinations (destination_id);
call add_tenant_policy('run_destinations');

alter table webhook_deliveries add column report json;
comment on column webhook_deliveries.report is
  'The subject, the body and the files of a report to a destination; null for what other targets are told.';
create unique index webhook_deliveries_report on webhook_deliveries (target_id, run_id) where report is not null;
create index webhook_deliveries_undelivered on webhook_deliveries (org_id, id) where report is not null and status = 'failed';
