import type { BudgetUse } from '../../domain/budgets.ts';
import type { Membership } from '../../domain/orgs.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import type { TokenBudget } from '../../domain/permissions/policy.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import type { Statement } from '../core/sql-pool.ts';
import { groupNamesOf, MEMBER_COLUMNS, type MemberRow, policyOfMember } from './for-turn.ts';

// The newest row with which the budget is reached: once it leaves the window, part of the budget is available again.
const BUDGET_USES = `select b.tokens, b.hours as "windowHours", used.tokens as "usedTokens",
    case when b.hours > 0 and used.tokens >= b.tokens then (
      select reached.created_at + b.hours * interval '1 hour' from (
        select u.created_at, sum(u.input_tokens + u.output_tokens) over (order by u.created_at desc, u.turn_id, u.step) as tokens
        from token_usage u
        where u.org_id = $1 and u.user_id = $2 and u.created_at > now() - b.hours * interval '1 hour'
      ) reached
      where reached.tokens >= b.tokens order by reached.created_at desc limit 1
    ) end as "freeAt"
  from unnest($3::bigint[], $4::int[]) with ordinality as b (tokens, hours, position)
    cross join lateral (
      select now() - b.hours * interval '1 hour' as begins_at,
        date_trunc('hour', now(), 'UTC') - (b.hours - 1) * interval '1 hour' as first_whole_hour
    ) span
    cross join lateral (
      select ((
          select coalesce(sum(h.tokens), 0) from token_usage_hours h where h.org_id = $1 and h.user_id = $2
            and h.hour >= case b.hours when 0 then '-infinity' else span.first_whole_hour end
        ) + (
          select coalesce(sum(u.input_tokens + u.output_tokens), 0) from token_usage u
          where b.hours > 0 and u.org_id = $1 and u.user_id = $2
            and u.created_at > span.begins_at and u.created_at < span.first_whole_hour
        ))::bigint as tokens
    ) used
  order by b.position`;

/** Makes the statement that reads how much of each budget a member has used (`BudgetUse`), in the given order. */
export function budgetUsesOf({ orgId, userId }: Membership, budgets: readonly TokenBudget[]): Statement<BudgetUse> {
  return {
    name: 'budget-uses',
    text: BUDGET_USES,
    values: [orgId, userId, budgets.map(({ tokens }) => tokens), budgets.map(({ windowHours }) => windowHours)],
  };
}

/** The current usage of a member. */
export interface MemberUsage {
  readonly budgets: readonly BudgetUse[];
  /** Turns that run or wait, sub-agents included. */
  readonly runningAgents: number;
  /** Live provider accounts of the member's own. */
  readonly providerAccounts: number;
  /** The permission groups that the member is in. */
  readonly groups: readonly { readonly id: string; readonly name: string }[];
}

/** Returns the member's current usage of each budget and limit. */
export async function readMemberUsage(
  { tenant }: Database,
  member: Membership,
  budgets: readonly TokenBudget[],
): Promise<MemberUsage> {
  const [uses, [count]] = await tenant.series(member.orgId, [budgetUsesOf(member, budgets), countsOf(member)]);
  return {
    budgets: uses,
    runningAgents: count?.runningAgents ?? 0,
    providerAccounts: count?.providerAccounts ?? 0,
    groups: count?.groups ?? [],
  };
}

function countsOf({ orgId, userId }: Membership): Statement<Omit<MemberUsage, 'budgets'>> {
  return {
    name: 'member-usage',
    text: `select
        (select count(*) from turns where org_id = $1 and user_id = $2 and status = 'running'
          and not is_waiting_for_slot) as "runningAgents",
        (select count(*) from provider_accounts where org_id = $1 and user_id = $2 and deleted_at is null)
          as "providerAccounts",
        ${groupNamesOf('$1', '$2')} as groups`,
    values: [orgId, userId],
  };
}

/** A member with the budgets that permission groups give them, and how much of each is used. */
interface MemberBudgets extends Pick<MemberUsage, 'budgets' | 'groups'> {
  readonly userId: string;
  readonly email: string;
  readonly fullName: string;
  readonly role: Role;
}

type Row = Omit<MemberBudgets, 'budgets' | 'groups'> & MemberRow & { readonly groupNames: MemberBudgets['groups'] };

/** Returns the members in the order in which they joined, with how much of their budgets they have used by now. */
export async function listMemberBudgets(
  { tenant }: Database,
  orgId: string,
  page: Page,
): Promise<Listed<MemberBudgets>> {
  const { items, ...rest } = await readPage<Row>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-member-budgets',
    columns: `m.user_id as "userId", u.email, u.full_name as "fullName", m.role, ${MEMBER_COLUMNS},
      ${groupNamesOf('m.org_id', 'm.user_id')} as "groupNames"`,
    bytes: '2000 + octet_length(u.email) + octet_length(u.full_name)',
    source: 'from memberships m join users u on u.id = m.user_id where m.org_id = $1',
    total: '(select count(*) from memberships where org_id = $1)',
    order: 'm.created_at, m.user_id',
    values: [orgId],
    page,
  });
  const bounded = items.map((row) => ({ row, budgets: policyOfMember(row)?.limits.budgets ?? [] }));
  // All are on the wire at once; each reads what was used in its windows, by an index.
  const statements = bounded.map(({ row, budgets }) => budgetUsesOf({ orgId, userId: row.userId }, budgets));
  const uses: readonly BudgetUse[][] = await tenant.series(orgId, statements);
  return { ...rest, items: bounded.map(({ row }, index) => shown(row, uses[index] ?? [])) };
}

function shown({ userId, email, fullName, role, groupNames: groups }: Row, budgets: readonly BudgetUse[]) {
  return { userId, email, fullName, role, groups, budgets };
}
