-- The audit log. Entries outlive the accounts, sessions and records that they name, so they have no foreign keys. They
-- cannot be changed, and are removed only with their organization, once its row is gone; the role of the service has no
-- right to do either (db/orm/service-role.ts).

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
call add_tenant_policy('audit_log');

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if not exists (select from orgs where id = old.org_id) then
      return old;
    end if;
  end if;
  raise exception 'the audit log only grows' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_log_only_grows before update or delete on audit_log
  for each row execute function refuse_audit_change();
create trigger audit_log_is_kept before truncate on audit_log
  for each statement execute function refuse_audit_change();

-- The records that an entry names. They have a table of their own because row-level security lets no index serve a
-- search in an array.
create table audit_log_records (
  org_id uuid not null references orgs (id) on delete cascade,
  record_id uuid not null,
  entry_id uuid not null references audit_log (id) on delete cascade,
  primary key (org_id, record_id, entry_id)
);
create index audit_log_records_entry on audit_log_records (entry_id);
call add_tenant_policy('audit_log_records');

create trigger audit_log_records_only_grow before update or delete on audit_log_records
  for each row execute function refuse_audit_change();
create trigger audit_log_records_are_kept before truncate on audit_log_records
  for each statement execute function refuse_audit_change();
