import type { BudgetUse } from '../../domain/budgets/index.ts';
import type { Role } from '../../domain/permissions/index.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';
import { MEMBER_COLUMNS, type MemberRow, policyOfMember } from './for-turn.ts';
import { groupNamesOf } from './groups-of.ts';
import { budgetUsesOf, type MemberUsage } from './usage.ts';

/** A member with the budgets that permission groups give them, and how much of each is used. */
export interface MemberBudgets extends Pick<MemberUsage, 'budgets' | 'groups'> {
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
  return { ...rest, items: bounded.map(({ row }, place) => shown(row, uses[place] ?? [])) };
}

function shown({ userId, email, fullName, role, groupNames: groups }: Row, budgets: readonly BudgetUse[]) {
  return { userId, email, fullName, role, groups, budgets };
}
