import { Migration } from '@mikro-orm/migrations';

/** Bounds the concurrent work of all organizations of one owner together. */
export class Migration20261128SharesOfOwners extends Migration {
  override up(): void {
    this.addSql(FUNCTIONS);
  }
}

// As in migration-20261121-places-at-work.ts, whose functions these replace.
function inSystemScope(signature: string, type: string, query: string): string {
  return `create or replace function ${signature} returns ${type} language plpgsql stable as $$
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

// The organization, and all others of its owner.
const OF_OWNER = `org_id in (
        select of_org union
        select owned.org_id from memberships o
          join memberships owned on owned.user_id = o.user_id and owned.role = 'owner'
        where o.org_id = of_org and o.role = 'owner'
      )`;

// A bound of 0 means none.
const FUNCTIONS = [
  inSystemScope(
    'has_turn_place(of_user uuid, of_org uuid, own_seq bigint, user_bound int, org_bound int)',
    'boolean',
    `(user_bound = 0 or user_bound > (
        select count(*) from turns where user_id = of_user and is_at_work and status = 'running'
      )) and (org_bound = 0 or org_bound > (
        select count(*) from turns where ${OF_OWNER} and is_at_work and status = 'running'
      )) and not exists (
        select from turns where org_id = of_org and user_id = of_user and seq < own_seq and is_waiting_for_place
          and status = 'running'
      )`,
  ),
  inSystemScope(
    'is_turn_place_wanted(of_user uuid, of_org uuid)',
    'boolean',
    `exists (select from turns where ${OF_OWNER} and is_waiting_for_place and status = 'running')
      or exists (select from turns where user_id = of_user and is_waiting_for_place and status = 'running')`,
  ),
  inSystemScope(
    'has_call_place(of_user uuid, of_org uuid, user_bound int, org_bound int)',
    'boolean',
    `(user_bound = 0 or user_bound > (
        select count(*) from tool_calls where holder_id = of_user and status = 'running'
      )) and (org_bound = 0 or org_bound > (
        select count(*) from tool_calls where ${OF_OWNER} and holder_id is not null and status = 'running'
      ))`,
  ),
  inSystemScope(
    'open_turns_of_owner(of_org uuid, at_most int)',
    'bigint',
    `(select count(*) from (
        select from turns where ${OF_OWNER} and status in ('queued', 'running') and parent_turn_id is null
        limit at_most
      ) open)`,
  ),
].join('\n');
