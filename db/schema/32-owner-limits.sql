-- The content of an organization is bounded for its owner: all organizations of one person count together. A tenant
-- connection sees one of them, so these functions read all, and return no more than numbers. As a function cannot set a
-- setting for its own duration, each restores the scope by itself.

-- Whether the owner may have other organizations. Most have not, and need no other scope.
create function owns_several(of_org uuid) returns boolean language sql stable as $$
  select exists (
    select from memberships o join users u on u.id = o.user_id
    where o.org_id = of_org and o.role = 'owner' and u.orgs_joined > 1
  )
$$;

-- Returns the organizations that count together with one; in the scope of the system, all of them.
create function orgs_of_owner(of_org uuid) returns uuid[] language sql stable as $$
  select array(
    select of_org union
    select owned.org_id from memberships o
      join memberships owned on owned.user_id = o.user_id and owned.role = 'owner'
    where o.org_id = of_org and o.role = 'owner'
  )
$$;

-- Returns a total that is kept beside the rows, so that no write counts them.
create function total_of_owner(of_org uuid, what text) returns bigint language plpgsql stable as $$
declare
  scope text := coalesce(current_setting('app.scope', true), '');
  orgs uuid[] := array[of_org];
  answer bigint;
begin
  if owns_several(of_org) then
    perform set_config('app.scope', 'system', true);
    orgs := orgs_of_owner(of_org);
  end if;
  case what
    when 'message_bytes' then answer := (select sum(message_bytes) from org_usage where org_id = any(orgs));
    when 'chats' then answer := (select sum(chats) from org_usage where org_id = any(orgs));
    when 'chats_made' then answer := (select sum(chats_made) from org_usage where org_id = any(orgs));
    when 'work_bytes' then
      answer := coalesce((select sum(bytes) from work_usage where org_id = any(orgs)), 0)
        + coalesce((select sum(bytes) from work_usage_changes where org_id = any(orgs)), 0);
    when 'upload_bytes' then answer := (select sum(bytes) from chat_file_usage where org_id = any(orgs));
    when 'file_bytes' then answer := (select sum(bytes) from workspace_usage where org_id = any(orgs));
    when 'replaced_file_bytes' then
      answer := (select sum(bytes) from workspace_contents where org_id = any(orgs) and unused_since is not null);
    when 'knowledge_bytes' then answer := (select sum(bytes) from knowledge_bases where org_id = any(orgs));
    when 'channel_bytes' then
      answer := (
        select sum(500 + coalesce(pg_column_size(e.message), 0) + coalesce(pg_column_size(e.received), 0))
        from channels c join channel_events e on e.channel_id = c.id and e.status = 'pending' where c.org_id = any(orgs)
      );
    when 'definition_bytes' then answer := (select sum(file_bytes) from definitions where org_id = any(orgs));
  end case;
  perform set_config('app.scope', scope, true);
  return coalesce(answer, 0);
end $$;

-- Counts the records of a small table up to a limit: those that satisfy a condition, and all.
create function count_of_owner(
  of_org uuid, of_table regclass, is_live text, at_most bigint, out live bigint, out total bigint
) language plpgsql stable as $$
declare
  scope text := coalesce(current_setting('app.scope', true), '');
begin
  perform set_config('app.scope', 'system', true);
  execute format(
    'select count(*) filter (where is_live), count(*)
      from (select %s as is_live from %s where org_id = any($1) limit $2) counted', is_live, of_table
  ) into live, total using orgs_of_owner(of_org), at_most;
  perform set_config('app.scope', scope, true);
end $$;

-- Recounts the live chats of all organizations of an owner: the known number may be older than some deletions.
create function recount_chats_of_owner(of_org uuid) returns void language plpgsql as $$
declare
  scope text := coalesce(current_setting('app.scope', true), '');
begin
  perform set_config('app.scope', 'system', true);
  update org_usage u set chats = (
    select count(*) from chats c where c.org_id = u.org_id and c.deleted_at is null and c.parent_chat_id is null
  ) where u.org_id in (
    select k.org_id from org_usage k where k.org_id = any(orgs_of_owner(of_org)) order by k.org_id for update
  );
  perform set_config('app.scope', scope, true);
end $$;

-- Serializes all transactions that add records of one kind to organizations of one owner.
create function lock_for_owner(of_org uuid, what text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(what || ' ' || coalesce(
    (select o.user_id from memberships o where o.org_id = of_org and o.role = 'owner'), of_org
  ), 0));
end $$;
