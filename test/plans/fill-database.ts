import pg from 'pg';

/** The member whose organization holds a quarter of all chats. */
interface BusyMember {
  readonly orgId: string;
  readonly userId: string;
  readonly agentId: string;
}

/**
 * Fills a migrated database with chats of ten messages each and what goes with them, of 1,000 organizations. Each has a
 * project, with the id of its agent. The rows come from SQL itself, without the checks of keys and triggers, and their
 * indexes are built once.
 */
export async function fillDatabase(superuserUrl: string, busy: BusyMember, chats: number): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES);
    await client.query(SETTINGS);
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await client.query(
      `create temp table org as select 1 as n, $1::uuid as id, $2::uuid as user_id, $3::uuid as agent_id
        union all select n, uuidv7(), uuidv7(), uuidv7() from generate_series(2, 1000) n`,
      [busy.orgId, busy.userId, busy.agentId],
    );
    await client.query(rowsOf(chats));
    for (const { definition } of indexes) await client.query(definition);
    await client.query('analyze');
  } finally {
    await client.end();
  }
}

// Those that no constraint needs.
const INDEXES = `select c.relname as name, pg_get_indexdef(c.oid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and not exists (select from pg_constraint where conindid = c.oid)`;

const SETTINGS = `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '64MB';
  set maintenance_work_mem = '256MB'`;

// The last turns have only just ended, so their events are there. The worker takes its Temporal for one that has lost
// its store, and would make a Temporal Schedule of each schedule that had one.
const rowsOf = (chats: number) => `
  insert into orgs (id, name) select id, 'Org' from org where n > 1;
  insert into org_usage (org_id, message_bytes, chats, chats_made) select id, 1000, 100, 100 from org where n > 1;
  insert into users (id, email, active_org_id) select user_id, n || '@filled.example.com', id from org where n > 1;
  insert into memberships (org_id, user_id, role) select id, user_id, 'owner' from org where n > 1;
  insert into agents (id, org_id, name, agent_type, temperature, max_tokens, max_subagents, max_concurrency)
    select agent_id, id, 'Agent', 'custom', 0, 1, 9, 9 from org where n > 1;
  insert into sessions (id, user_id, expires_at)
    select uuidv7(), user_id, now() + interval '1 day' from org, generate_series(1, 20);
  insert into api_keys (id, org_id, user_id, name, public_id, secret_hash)
    select uuidv7(), id, user_id, 'key', gen_random_uuid(), '' from org, generate_series(1, 5);
  insert into permission_groups (id, org_id, name, permissions, limits, allowlists)
    select agent_id, id, 'Group', '[]', '{}', '{}' from org where n > 1;
  insert into permission_group_members (group_id, org_id, user_id) select agent_id, id, user_id from org where n > 1;
  insert into provider_chains (id, org_id, name, steps)
    select uuidv7(), id, 'Chain', '[]' from org, generate_series(1, 3) where n > 1;
  insert into provider_accounts (id, org_id, user_id, provider_type, name, auth_type, cooldown_seconds)
    select uuidv7(), id, user_id, 'openai', 'Account', 'apikey', 1 from org, generate_series(1, 3) where n > 1;
  insert into agent_memories (id, org_id, agent_id, content, type, priority)
    select uuidv7(), id, agent_id, 'Likes tea.', 'fact', 3 from org, generate_series(1, 20);
  insert into projects (id, org_id, name, description, repo_url, repo_type)
    select agent_id, id, 'Project', '', 'https://github.com/example/app', 'github' from org;
  insert into project_agents (project_id, agent_id, org_id, position) select agent_id, agent_id, id, 0 from org;
  insert into repo_trees (project_id, org_id, repo_url, outline, due_at)
    select agent_id, id, 'https://github.com/example/app', '/: README.md', now() + interval '1 day' from org;
  insert into issues (id, org_id, project_id, number, title, description, status, priority, labels, assigned_agent_id)
    select uuidv7(), id, agent_id, number, 'An issue', '',
      (array['backlog', 'todo', 'in_progress', 'in_review', 'done', 'cancelled'])[1 + number % 6], 'medium', '[]',
      case when number % 3 = 0 then agent_id end
    from org cross join lateral generate_series(1, case when n = 1 then 20000 else 20 end) number;
  insert into chats (id, org_id, user_id, agent_id, project_id, title, created_at, updated_at)
    select uuidv7(), org.id, user_id, agent_id, case when chat % 3 = 0 then agent_id end, 'A chat', at, at
    from generate_series(1, ${chats}) chat join org on org.n = case when chat % 4 = 0 then 1 else 1 + chat % 1000 end,
      lateral (select now() - interval '1 year' + chat * interval '5 minutes' as at) begun;
  insert into turns (id, org_id, chat_id, user_id, status, attempt, step, created_at, started_at, ended_at)
    select uuidv7(), org_id, id, user_id, 'completed', 1, 0, created_at, created_at, created_at
    from chats cross join generate_series(1, 5) round order by round, created_at;
  insert into messages (id, org_id, chat_id, turn_id, role, content, user_id, created_at)
    select uuidv7(created_at - now()), org_id, chat_id, id, role, 'Some words.', user_id, created_at
    from turns cross join (values ('user'), ('assistant')) roles (role) order by seq;
  insert into webhook_targets (id, org_id, chat_id, user_id, url, purge_at)
    select uuidv7(), org_id, id, user_id, 'https://hooks.example.com/filled', now() + interval '1 day'
    from (select *, row_number() over () as n from chats) numbered where n % 20 = 0;
  insert into webhook_deliveries (id, org_id, target_id, message_id, status)
    select uuidv7(), w.org_id, w.id, m.id, 'delivered' from webhook_targets w join messages m on m.chat_id = w.chat_id
    where m.role = 'assistant';
  insert into projects (id, org_id, owner_id, name, description, repo_url, repo_type)
    select id, id, user_id, 'Project', '', '', '' from org;
  insert into project_agents (project_id, agent_id, org_id, position) select id, agent_id, id, 1 from org;
  insert into project_logs (id, org_id, project_id, action, record_type, record_id, created_at)
    select uuidv7(created_at - now()), org_id, org_id, 'created', 'chat', id, created_at from chats;
  insert into work_usage (org_id, bytes) select id, 1000 from org;
  insert into agent_workflows (id, org_id, owner_id, agent_id, name, description, trigger_type, prompt_template, steps, is_active,
      keep_runs_days)
    select uuidv7(), id, user_id, agent_id, 'Report', '', 'schedule', 'Report.', '[]', true, 90 from org, generate_series(1, 5);
  insert into schedules (id, org_id, workflow_id, owner_id, agent_id, name, prompt, cron_expr, timezone, overlap, catchup_minutes,
      jitter_seconds, pause_on_failure, keep_runs_days, is_active, next_run_at, version, applied_version)
    select uuidv7(), org_id, id, owner_id, agent_id, name, '', '0 9 * * *', 'UTC', 'skip', 10, 0, false, 1, true,
      now() + interval '1 day', 0, 0 from agent_workflows;
  insert into workflow_runs (id, org_id, workflow_id, user_id, triggered_by, status, variables, missing_variables, steps, prompt,
      created_at, started_at, completed_at, seen_version)
    select uuidv7(at - now()), org_id, id, owner_id, 'schedule', 'completed', '{}', '[]',
      jsonb_build_array(jsonb_build_object('name', 'prompt', 'agentId', agent_id)), 'Report.', at, at, at, 1
    from agent_workflows w cross join lateral generate_series(1, 20) run,
      lateral (select now() - run * interval '1 day' as at) ran;
  insert into destinations (id, org_id, name, kind, config) select agent_id, id, 'Hook', 'webhook', '{}' from org;
  insert into webhook_targets (id, org_id, destination_id, url, purge_at)
    select agent_id, id, agent_id, 'https://hooks.example.com/filled', now() + interval '1 day' from org;
  insert into webhook_deliveries (id, org_id, target_id, run_id, status, last_attempt_at, report)
    select uuidv7(), r.org_id, org.agent_id, r.id, case when r.created_at > now() - interval '2 days' then 'failed' else 'delivered' end,
      now(), '{"userId": null, "subject": null, "body": null, "files": [], "undelivered": null, "missed": null}'
    from workflow_runs r join org on org.id = r.org_id;
  insert into word_owners (org_id, user_id, messages) select org_id, user_id, count(*) from messages group by 1, 2;
  insert into message_words (message_id, org_id, user_id, chat_id, created_at, segment, words)
    select entered.id, org_id, entered.user_id, chat_id, created_at, segment,
      format('''%1$s:some'':1 ''%1$s:words'':2', key || segment)::tsvector
    from (
      select *, ((row_number() over (partition by user_id order by seq) - 1) / 4096)::int as segment from messages
    ) entered join (
      select id, translate(left(encode(sha256(convert_to(id || ' ' || user_id, 'UTF8')), 'base64'), 5), '+/', '-_') as key
      from org
    ) keys on keys.id = org_id order by seq;
  update search_progress set entered_until = now();
  insert into token_usage (turn_id, step, org_id, chat_id, user_id, model, input_tokens, output_tokens, estimated, created_at)
    select id, 0, org_id, chat_id, user_id, 'model', 1, 1, false, ended_at from turns where seq % 5 = 0;
  insert into usage_totals (org_id, user_id, hour, chat_id, agent_id, model, turns, calls, input_tokens, output_tokens,
      cached_input_tokens, reasoning_tokens, cost, unpriced_calls, unpriced_tokens)
    select t.org_id, t.user_id, date_trunc('hour', max(t.ended_at), 'UTC'), t.chat_id, c.agent_id, 'model', count(*), count(*), 1, 1,
      0, 0, 0.1, 0, 0 from turns t join chats c on c.id = t.chat_id group by 1, 2, 4, 5;
  insert into token_usage_hours (org_id, user_id, hour, tokens)
    select id, user_id, date_trunc('hour', now()) - hours * interval '1 hour', 10 from org, generate_series(1, 50) hours;
  insert into tool_calls (id, org_id, turn_id, step, position, name, label, arguments, effect, status, attempt, result, ended_at)
    select uuidv7(), org_id, id, 0, 0, 'time_now', '', '{}', 'read', 'success', 1, 'now', ended_at from turns where seq % 10 = 0;
  insert into approvals (id, org_id, chat_id, turn_id, root_turn_id, call_id, status, requested_at, decided_at, expires_at)
    select uuidv7(), t.org_id, t.chat_id, t.id, t.id, k.id, case when t.seq % 100 = 0 then 'pending' else 'approved' end,
      t.created_at, t.created_at, now() + interval '1 day' from tool_calls k join turns t on t.id = k.turn_id;
  insert into model_steps (turn_id, step, org_id, text) select turn_id, 0, org_id, 'Looking.' from tool_calls;
  insert into tasks (id, org_id, chat_id, title, status, position)
    select id, org_id, chat_id, 'Task', 'completed', 'a1' from turns where seq % 20 = 0;
  insert into tasks (id, org_id, chat_id, created_by, title, status, position, due_at)
    select uuidv7(), org_id, chat_id, user_id, 'Task', 'pending', 'a1', now() + interval '1 hour' from turns where seq % 20 in (1, 12);
  insert into task_dependencies (task_id, needs_id, org_id) select id, lag(id) over (order by id), org_id from tasks
    where status = 'pending' order by id offset 1;
  update turns set ended_at = now() + interval '1 day' where seq > ${5 * chats - 10};
  insert into turn_events (turn_id, attempt, seq, org_id, event)
    select id, 1, n, org_id, '{"type": "chunk", "offset": 0, "text": "Some words."}'
    from turns cross join generate_series(1, 2000) n where seq > ${5 * chats - 10}`;
