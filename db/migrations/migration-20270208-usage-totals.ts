import { Migration } from '@mikro-orm/migrations';
import { tenantPolicy } from './tenant-policy.ts';

/** Keeps what each call has cost, and sums of tokens and costs by which reports of any length are read fast. */
export class Migration20270208UsageTotals extends Migration {
  override up(): void {
    this.addSql(COSTS);
    this.addSql(TOTALS);
    this.addSql(tenantPolicy('usage_totals'));
    this.addSql("select set_config('app.scope', 'system', true)");
    this.addSql(FORMER);
    this.addSql("select set_config('app.scope', '', true)");
    this.addSql(ADD);
  }
}

// A step of a turn has the row of its model call, and one for each of its tool calls that a provider bills.
const COSTS = `
alter table token_usage
  add column call_id uuid,
  add column provider_type text,
  add column cached_input_tokens int not null default 0,
  add column cache_write_tokens int not null default 0,
  add column reasoning_tokens int not null default 0,
  add column cost numeric(20, 12);
alter table token_usage drop constraint token_usage_pkey;
create unique index token_usage_calls on token_usage (turn_id, step, call_id) nulls not distinct;
comment on column token_usage.call_id is 'The tool call that was billed; null for a call of the model itself.';
comment on column token_usage.cost is 'In US dollars, by the price at that time; null when it was unknown.';
`;

// Hours begin as they do in UTC. Chats, agents and accounts may be gone.
const TOTALS = `
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
create unique index usage_totals_key on usage_totals (org_id, user_id, hour, chat_id, agent_id, provider_type, model)
  nulls not distinct;
create index usage_totals_hour on usage_totals (org_id, hour);
create index usage_totals_chat on usage_totals (chat_id);
create index usage_totals_by_user on usage_totals (user_id);
comment on column usage_totals.chat_id is 'The chat at the root, in which a user writes.';
comment on column usage_totals.turns is 'Turns whose first model call is among the calls.';
comment on column usage_totals.cost is 'Of the calls whose price was known, in US dollars.';
`;

const FORMER = `
insert into usage_totals (org_id, user_id, hour, chat_id, agent_id, provider_type, model, turns, calls, input_tokens,
  output_tokens, cached_input_tokens, reasoning_tokens, cost, unpriced_calls, unpriced_tokens)
select u.org_id, u.user_id, date_trunc('hour', u.created_at, 'UTC'), coalesce(c.root_chat_id, u.chat_id), c.agent_id,
  null, u.model, count(*) filter (where u.step = 0), count(*), sum(u.input_tokens), sum(u.output_tokens), 0, 0, 0,
  count(*), sum(u.input_tokens + u.output_tokens)
from token_usage u left join chats c on c.id = u.chat_id
group by 1, 2, 3, 4, 5, 7;
`;

const ADD = `
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
`;
