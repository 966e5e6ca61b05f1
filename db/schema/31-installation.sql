-- The installation that a database belongs to.

create table installation (
  id uuid primary key default gen_random_uuid(),
  namespace_id text,
  push_key bytea
);
comment on column installation.id is 'Named by its Schedules in Temporal, and by its claim to a namespace.';
comment on column installation.namespace_id is
  'The id of the Temporal namespace that knows what the rows say it does. Another one has to be told everything.';
comment on column installation.push_key is
  'The key that signs notifications to browsers, encrypted; null until the first browser asks for its public half.';
create unique index installation_once on installation ((true));
insert into installation default values;
call add_system_policy('installation');
-- The Temporal Schedule of each organization's schedule names it.
create policy everybody on installation for select using (true);
