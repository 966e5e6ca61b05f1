import { listMemberBudgets } from '../../db/permissions/index.ts';
import { budgetStateOf } from '../../domain/budgets/index.ts';
import { present } from '../../domain/core/record-names.ts';
import { defineRoute } from '../http/define-route.ts';
import { toBudgetRecord } from './own-permissions.ts';
import { memberBudgetsQuery, memberBudgetsSchema } from './schema.ts';

/** Tells administrators who has used how much of which budget. */
export const memberBudgetsRoute = defineRoute({
  method: 'get',
  path: '/api/permissions/budgets',
  resource: 'permissions',
  action: 'view_budgets',
  access: 'settings.manage',
  tag: 'Permissions',
  operationId: 'listMemberBudgets',
  summary: 'The members, and how much of their token budgets each has used in its window',
  description:
    'In the order in which they joined. Members without a budget, administrators among them, have no `budgets`: nothing bounds them.',
  query: memberBudgetsQuery,
  response: { status: 200, schema: memberBudgetsSchema.array() },
  handler: async ({ caller, query, answerPage }, { database }) =>
    answerPage(await listMemberBudgets(database, caller.orgId, query)).map((member) => {
      const { isUsedUp: isBlocked, freeAt: availableAt } = budgetStateOf(member.budgets);
      const budgets = member.budgets.map(toBudgetRecord);
      return present(memberBudgetsSchema, member, { budgets, isBlocked, availableAt });
    }),
});
