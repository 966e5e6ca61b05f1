-- Tokens and costs, and the bytes of messages. Budgets and reports count what was spent in chats that are gone, too.

-- A step of a turn has the row of its model call, and one for each of its tool calls that a provider bills.
create table token_usage (
  turn_id uuid not null,
  step int not null,
  org_id uuid not null references orgs (id) on delete cascade,
  chat_id uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  provider_account_id uuid references provider_accounts (id) on delete set null,
  model text not null,
  input_tokens int not null,
  output_tokens int not null,
  estimated boolean not null,
  created_at timestamptz not null default now(),
  call_id uuid,
  provider_type text,
  cached_input_tokens int not null default 0,
  cache_write_tokens int not null default 0,
  reasoning_tokens int not null default 0,
  cost numeric(20, 12)
);
comment on column token_usage.turn_id is 'Of a turn that may be gone.';
comment on column token_usage.chat_id is 'Of a chat that may be gone.';
comment on column token_usage.call_id is 'The tool call that was billed; null for a call of the model itself.';
comment on column token_usage.cost is 'In US dollars, by the price at that time; null when it was unknown.';
create index token_usage_chat on token_usage (chat_id);
create index token_usage_by_user on token_usage (user_id);
create index token_usage_account on token_usage (provider_account_id);
create index token_usage_user on token_usage (org_id, user_id, created_at) include (input_tokens, output_tokens);
create unique index token_usage_calls on token_usage (turn_id, step, call_id) nulls not distinct;
call add_tenant_policy('token_usage');

create function add_to_usage_hour() returns trigger language plpgsql as $$
begin
  insert into token_usage_hours (org_id, user_id, hour, tokens)
  values (new.org_id, new.user_id, date_trunc('hour', new.created_at, 'UTC'), new.input_tokens + new.output_tokens)
  on conflict (org_id, user_id, hour) do update set tokens = token_usage_hours.tokens + excluded.tokens;
  return null;
end $$;
create trigger token_usage_counts after insert on token_usage for each row execute function add_to_usage_hour();

create function add_to_usage_totals() returns trigger language plpgsql as $$
begin
  insert into usage_totals as known (org_id, user_id, hour, chat_id, agent_id, provider_type, model, turns, calls,
    input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, cost, unpriced_calls, unpriced_tokens)
  select new.org_id, new.user_id, date_trunc('hour', new.created_at, 'UTC'), coalesce(c.root_chat_id, new.chat_id),
    c.agent_id, new.provider_type, new.model, (new.step = 0 and new.call_id is null)::int, 1, new.input_tokens,
    new.output_tokens, new.cached_input_tokens, new.reasoning_tokens, coalesce(new.cost, 0), (new.cost is null)::int,
    case when new.cost is null then new.input_tokens + new.output_tokens else 0 end
  from (select new.chat_id as id) used left join chats c on c.id = used.id
  on conflict (org_id, user_id, hour, chat_id, agent_id, provider_type, model) do update set
    turns = known.turns + excluded.turns, calls = known.calls + excluded.calls,
    input_tokens = known.input_tokens + excluded.input_tokens,
    output_tokens = known.output_tokens + excluded.output_tokens,
    cached_input_tokens = known.cached_input_tokens + excluded.cached_input_tokens,
    reasoning_tokens = known.reasoning_tokens + excluded.reasoning_tokens, cost = known.cost + excluded.cost,
    unpriced_calls = known.unpriced_calls + excluded.unpriced_calls,
    unpriced_tokens = known.unpriced_tokens + excluded.unpriced_tokens;
  return null;
end $$;
create trigger token_usage_totals after insert on token_usage for each row execute function add_to_usage_totals();

-- The tokens of each hour, summed as they are used, so that a budget of years is read as fast as one of a day. Hours
-- begin as they do in UTC; rows in the partial first hour of a window are read one by one.
create table token_usage_hours (
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  hour timestamptz not null,
  tokens bigint not null,
  primary key (org_id, user_id, hour)
);
create index token_usage_hours_user on token_usage_hours (user_id);
call add_tenant_policy('token_usage_hours');

-- Sums by which reports of any length are read fast. Hours begin as they do in UTC. Chats, agents and accounts may be
-- gone.
create table usage_totals (
  org_id uuid not null references orgs (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  hour timestamptz not null,
  chat_id uuid not null,
  agent_id uuid,
  provider_type text,
  model text not null,
  turns int not null,
  calls int not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_input_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost numeric(24, 12) not null,
  unpriced_calls int not null,
  unpriced_tokens bigint not null
);
comment on column usage_totals.chat_id is 'The chat at the root, in which a user writes.';
comment on column usage_totals.turns is 'Turns whose first model call is among the calls.';
comment on column usage_totals.cost is 'Of the calls whose price was known, in US dollars.';
create unique index usage_totals_key on usage_totals (org_id, user_id, hour, chat_id, agent_id, provider_type, model)
  nulls not distinct;
create index usage_totals_hour on usage_totals (org_id, hour);
create index usage_totals_chat on usage_totals (chat_id);
create index usage_totals_by_user on usage_totals (user_id);
call add_tenant_policy('usage_totals');

-- The totals of each organization, by which it is bounded. A worker counts them, up to usage_count.
create table org_usage (
  org_id uuid primary key references orgs (id) on delete cascade,
  message_bytes bigint not null,
  chats bigint not null,
  chats_made bigint not null
);
call add_tenant_policy('org_usage');

-- A change is a row of its own, so that changing a message never waits for a worker.
create table message_size_changes (
  seq bigint generated always as identity primary key,
  org_id uuid not null,
  written_at timestamptz not null,
  bytes bigint not null
);
comment on table message_size_changes is 'By how much messages have grown; a worker counts it and empties the table.';
comment on column message_size_changes.written_at is 'When the message was written, not when it changed.';
call add_tenant_policy('message_size_changes');

-- How far messages and chats are counted.
create table usage_count (
  is_one boolean primary key default true check (is_one),
  counted_until timestamptz not null
);
insert into usage_count (counted_until) values (now());
call add_system_policy('usage_count');
