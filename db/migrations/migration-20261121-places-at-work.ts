import { Migration } from '@mikro-orm/migrations';

/** Bounds the concurrent work of one user, and of one organization. */
export class Migration20261121PlacesAtWork extends Migration {
  override up(): void {
    this.addSql(TURNS);
    this.addSql(CALLS);
    this.addSql(FUNCTIONS);
  }
}

// turns.is_at_work: a worker takes a step of the turn, or runs its calls. It is false while the turn waits for a
// provider, a slot or its sub-agents. turns.is_waiting_for_place: too many turns were at work when it wanted to go on.
// turns.sub_agent_count: for a turn at the root, the sub-agents below it at all levels.
const TURNS = `
alter table turns
  add column is_at_work boolean not null default false,
  add column is_waiting_for_place boolean not null default false,
  add column sub_agent_count int not null default 0;
create index turns_at_work_user on turns (user_id) where is_at_work and status = 'running';
create index turns_at_work_org on turns (org_id) where is_at_work and status = 'running';
create index turns_waiting_for_place on turns (org_id, user_id, seq) where is_waiting_for_place and status = 'running';
create index turns_waiting_for_place_user on turns (user_id) where is_waiting_for_place and status = 'running';
create index turns_open_user on turns (user_id) where status in ('queued', 'running') and parent_turn_id is null;
create index turns_open_org on turns (org_id) where status in ('queued', 'running') and parent_turn_id is null;
`;

// tool_calls.holder_id is the user whose bound a running call counts against.
const CALLS = `
alter table tool_calls add column holder_id uuid;
create index tool_calls_holder on tool_calls (holder_id) where holder_id is not null and status = 'running';
create index tool_calls_held_org on tool_calls (org_id) where holder_id is not null and status = 'running';
`;

// A user's bound counts across all organizations, of which a tenant connection sees one. So these functions look at all
// of them, and return no more than a number or a boolean. They exist for statements that need this look themselves; a
// function cannot set a setting for its own duration, so each restores the scope by itself.
function inSystemScope(signature: string, type: string, query: string): string {
  return `create function ${signature} returns ${type} language plpgsql stable as $$
declare
  scope text := coalesce(current_setting('app.scope', true), '');
  answer ${type};
begin
  perform set_config('app.scope', 'system', true);
  answer := (select ${query});
  perform set_config('app.scope', scope, true);
  return answer;
end $$;`;
}

// A bound of 0 means none.
const FUNCTIONS = [
  inSystemScope(
    'has_turn_place(of_user uuid, of_org uuid, own_seq bigint, user_bound int, org_bound int)',
    'boolean',
    `(user_bound = 0 or user_bound > (
        select count(*) from turns where user_id = of_user and is_at_work and status = 'running'
      )) and (org_bound = 0 or org_bound > (
        select count(*) from turns where org_id = of_org and is_at_work and status = 'running'
      )) and not exists (
        select from turns where org_id = of_org and user_id = of_user and seq < own_seq and is_waiting_for_place
          and status = 'running'
      )`,
  ),
  inSystemScope(
    'is_turn_place_wanted(of_user uuid, of_org uuid)',
    'boolean',
    `exists (select from turns where org_id = of_org and is_waiting_for_place and status = 'running')
      or exists (select from turns where user_id = of_user and is_waiting_for_place and status = 'running')`,
  ),
  inSystemScope(
    'has_call_place(of_user uuid, of_org uuid, user_bound int, org_bound int)',
    'boolean',
    `(user_bound = 0 or user_bound > (
        select count(*) from tool_calls where holder_id = of_user and status = 'running'
      )) and (org_bound = 0 or org_bound > (
        select count(*) from tool_calls where org_id = of_org and holder_id is not null and status = 'running'
      ))`,
  ),
  inSystemScope(
    'open_turns_of(of_user uuid, at_most int)',
    'bigint',
    `(select count(*) from (
        select from turns where user_id = of_user and status in ('queued', 'running') and parent_turn_id is null
        limit at_most
      ) open)`,
  ),
].join('\n');
