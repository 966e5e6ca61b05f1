-- Destinations of an organization, to which reports of runs are delivered. Each has a target of webhooks, by which the
-- workflow of deliveries reaches it: the address and the secret of one by HTTP are kept there.

create table destinations (
  id uuid primary key,
  org_id uuid not null references orgs (id) on delete cascade,
  owner_id uuid references users (id) on delete set null,
  name text not null,
  kind text not null,
  integration_id uuid references integrations (id) on delete set null,
  config jsonb not null,
  checked_at timestamptz,
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table destinations is 'Where the organization has reports delivered: mailboxes, channels, addresses.';
comment on column destinations.owner_id is 'Who added it; null when the account is gone.';
comment on column destinations.integration_id is 'Whose credentials it uses; null without any, and when it was deleted.';
comment on column destinations.checked_at is 'When a test message was last sent.';
comment on column destinations.error is 'Why the last test message was not taken; null when it was.';
create index destinations_org on destinations (org_id, id);
create unique index destinations_name on destinations (org_id, lower(name));
create index destinations_owner on destinations (owner_id) where owner_id is not null;
create index destinations_integration on destinations (integration_id) where integration_id is not null;
call add_tenant_policy('destinations');

alter table webhook_targets add column destination_id uuid references destinations (id) on delete cascade;
create unique index webhook_targets_destination on webhook_targets (destination_id) where destination_id is not null;
alter table webhook_targets alter column url drop not null;
alter table webhook_targets drop constraint webhook_targets_owner;
alter table webhook_targets add constraint webhook_targets_owner
  check (num_nonnulls(chat_id, workflow_id, schedule_id, destination_id) = 1);
alter table webhook_targets add constraint webhook_targets_address check (url is not null or destination_id is not null);
comment on column webhook_targets.url is 'Null for a destination that is not reached by plain HTTP.';
