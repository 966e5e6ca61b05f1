-- Row-level security, which binds a connection to the organization in `app.org_id`. These procedures exist only while a
-- migration runs. `app.scope = system` is set only by the connections that work before an organization is known
-- (sign-in) or for all of them (housekeeping, stream). Policies are forced, so that they bind the tables' owner too.

-- Binds a table to its organization.
create procedure add_tenant_policy(relation regclass, org_column name default 'org_id') language plpgsql as $$
declare
  is_visible text := format($sql$
    %I = nullif(current_setting('app.org_id', true), '')::uuid or current_setting('app.scope', true) = 'system'
  $sql$, org_column);
begin
  execute format('alter table %s enable row level security, force row level security', relation);
  execute format('create policy tenant on %1$s using (%2$s) with check (%2$s)', relation, is_visible);
end $$;

-- Binds a table that is read by the thousand: it asks for the organization once a statement, not for each row, which
-- was most of the time of a board or of counting a list.
create procedure add_list_policy(relation regclass) language plpgsql as $$
begin
  call add_tenant_policy(relation);
  execute format($sql$
    alter policy tenant on %s using (
      org_id = (select nullif(current_setting('app.org_id', true), '')::uuid)
      or (select current_setting('app.scope', true) = 'system')
    )
  $sql$, relation);
end $$;

-- Binds a table of words to be searched: while `app.search` is set, only the rows that match it are visible. That is
-- how a search reads them by the index: PostgreSQL applies the conditions of a policy before those of a statement,
-- unless their operator is marked as leakproof, which the one that matches texts is not. Without a search the policy
-- selects the rows that lack a word which no row contains.
create procedure add_search_policy(relation regclass) language plpgsql as $$
begin
  call add_tenant_policy(relation);
  execute format($sql$
    alter policy tenant on %s using (
      (org_id = nullif(current_setting('app.org_id', true), '')::uuid or current_setting('app.scope', true) = 'system')
      and words @@ coalesce(nullif(current_setting('app.search', true), '')::tsquery, '!everything'::tsquery)
    )
  $sql$, relation);
end $$;

-- Closes a table to connections that work for one organization.
create procedure add_system_policy(relation regclass) language plpgsql as $$
declare
  is_system constant text := $sql$current_setting('app.scope', true) = 'system'$sql$;
begin
  execute format('alter table %s enable row level security, force row level security', relation);
  execute format('create policy system on %1$s using (%2$s) with check (%2$s)', relation, is_system);
end $$;
