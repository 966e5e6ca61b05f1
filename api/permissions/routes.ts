import type { z } from 'zod';
import { type AssignableRecord, listAssignable } from '../../db/permissions/assignable.ts';
import { listMemberBudgets, type MemberUsage, readMemberUsage } from '../../db/permissions/usage.ts';
import { budgetStateOf, type BudgetUse } from '../../domain/budgets.ts';
import { recordBy } from '../../domain/core/objects.ts';
import { present } from '../../domain/core/record-names.ts';
import { allowedIds } from '../../domain/permissions/restrict.ts';
import type { GroupAllowlists, GroupLimits, Policy } from '../../domain/permissions/policy.ts';
import { PERMISSION_CATALOG } from '../../domain/permissions/keys.ts';
import { ALLOWLISTS } from '../../domain/resources.ts';
import { isAdministrator } from '../access/policies.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { pageOf } from '../http/pages.ts';
import { assignableDefinitions, groupRoutes } from './group-routes.ts';
import {
  assignableSchema,
  catalogKeySchema,
  memberBudgetsQuery,
  memberBudgetsSchema,
  ownPermissionsSchema,
} from './schema.ts';

/** Returns the caller's rights in the organization, and how much of their limits they have used. */
const ownPermissionsRoute = defineRoute({
  method: 'get',
  path: '/api/permissions/me',
  resource: 'permissions',
  access: 'in_org',
  tag: 'Permissions',
  operationId: 'getOwnPermissions',
  summary: 'Get your permissions, and how much of your limits you have used',
  response: {
    status: 200,
    description: "The caller's permissions and usage",
    schema: ownPermissionsSchema,
  },
  handler: async ({ caller }, { database }) => {
    const { policy } = caller;
    return presentPolicy(policy, await readMemberUsage(database, caller, policy.limits.budgets));
  },
});

/** Shows administrators who has used how much of which budget. */
const memberBudgetsRoute = defineRoute({
  method: 'get',
  path: '/api/permissions/budgets',
  resource: 'permissions',
  action: 'view_budgets',
  access: 'settings.manage',
  tag: 'Permissions',
  operationId: 'listMemberBudgets',
  summary: 'List the members, and how much of their token budgets they have used',
  description:
    'In the order in which they joined. Members without a budget, including administrators, have no `budgets`: they are not limited.',
  query: memberBudgetsQuery,
  response: { status: 200, schema: memberBudgetsSchema.array() },
  handler: async ({ caller, query, answerPage }, { database }) =>
    answerPage(await listMemberBudgets(database, caller.orgId, query)).map((member) => {
      const { isUsedUp: isBlocked, freeAt: availableAt } = budgetStateOf(member.budgets);
      const budgets = member.budgets.map(toBudgetRecord);
      return present(memberBudgetsSchema, member, { budgets, isBlocked, availableAt });
    }),
});

export const permissionRoutes = [
  ...groupRoutes,
  memberBudgetsRoute,
  defineRoute({
    method: 'get',
    path: '/api/permissions/catalog',
    resource: 'permissions',
    action: 'view_catalog',
    access: 'in_org',
    tag: 'Permissions',
    operationId: 'listPermissionKeys',
    summary: 'List every permission key',
    query: pageQuery,
    response: { status: 200, schema: catalogKeySchema.array() },
    handler: async ({ query, answerPage }) =>
      answerPage(pageOf(PERMISSION_CATALOG, query)).map(({ key, area, label, implies, isReserved }) => ({
        key,
        area,
        label,
        implies: [...implies],
        reserved: isReserved,
      })),
  }),
  defineRoute({
    method: 'get',
    path: '/api/permissions/assignable',
    resource: 'permissions',
    action: 'view_assignable',
    access: 'settings.view',
    tag: 'Permissions',
    operationId: 'listAssignableResources',
    summary: 'Get the records and keys that can go into the allowlists of a permission group',
    response: { status: 200, description: 'The assignable records and keys', schema: assignableSchema },
    handler: async ({ caller }, { database, definitions }) => {
      const viewerId = isAdministrator(caller) ? undefined : caller.userId;
      const records = await listAssignable(database, caller.orgId, viewerId);
      const choices = ALLOWLISTS.map(async (list) => {
        const defined = await assignableDefinitions(definitions, caller.orgId, list);
        if (list.entryKind === 'ids') return [list.choices, (defined ?? records[list.name]).map(refOf)];
        return [list.choices, (defined ?? []).map(({ key, name }) => ({ key, name }))];
      });
      // Each list has its choices.
      return Object.fromEntries(await Promise.all(choices)) as z.input<typeof assignableSchema>;
    },
  }),
  ownPermissionsRoute,
];

function refOf({ id, name }: AssignableRecord) {
  return { id, name };
}

function presentPolicy(policy: Policy, usage: MemberUsage): z.input<typeof ownPermissionsSchema> {
  const { isUsedUp, freeAt, widest } = budgetStateOf(usage.budgets);
  const { maxConcurrentAgents, maxProviderAccounts } = policy.limits;
  // With several budgets, the one that leaves most.
  const limits: GroupLimits = {
    tokenBudget: widest?.tokens ?? 0,
    tokenWindowHours: widest?.windowHours ?? 0,
    maxConcurrentAgents,
    maxProviderAccounts,
  };
  return present(ownPermissionsSchema, {
    role: policy.role,
    isRestricted: policy.isRestricted,
    permissions: [...policy.keys],
    limits,
    capabilities: { ...listsOf(policy), defaultChainId: policy.defaultChainId },
    groups: usage.groups,
    usage: {
      budgets: usage.budgets.map(toBudgetRecord),
      isBlocked: isUsedUp,
      availableAt: freeAt,
      runningAgents: usage.runningAgents,
      providerAccounts: usage.providerAccounts,
    },
  });
}

// A group that allows everything has empty lists.
function listsOf(policy: Policy): GroupAllowlists {
  return recordBy(ALLOWLISTS, 'name', ({ name }) => allowedIds(policy, name)?.toSorted() ?? []);
}

/** Returns a budget and its use as the API shows them. */
function toBudgetRecord({ tokens, windowHours, usedTokens, freeAt }: BudgetUse) {
  return {
    tokenBudget: tokens,
    tokenWindowHours: windowHours,
    usedTokens,
    remainingTokens: Math.max(tokens - usedTokens, 0),
    availableAt: freeAt,
  };
}
