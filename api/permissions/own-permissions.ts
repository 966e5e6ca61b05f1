import type { z } from 'zod';
import { type MemberUsage, readMemberUsage } from '../../db/permissions/index.ts';
import { recordBy } from '../../domain/core/objects/record-by.ts';
import { budgetStateOf, type BudgetUse } from '../../domain/budgets/index.ts';
import { allowedIds, type GroupAllowlists, type GroupLimits, type Policy } from '../../domain/permissions/index.ts';
import { ALLOWLISTS } from '../../domain/resources/index.ts';
import { defineRoute } from '../http/define-route.ts';
import { present } from '../../domain/core/record-names.ts';
import { ownPermissionsSchema } from './schema.ts';

/** Returns the caller's rights in the organization, and how much of their limits they have used. */
export const ownPermissionsRoute = defineRoute({
  method: 'get',
  path: '/api/permissions/me',
  resource: 'permissions',
  access: 'in_org',
  tag: 'Permissions',
  operationId: 'getOwnPermissions',
  summary: 'Your permissions, and how much of your limits you have used',
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
export function toBudgetRecord({ tokens, windowHours, usedTokens, freeAt }: BudgetUse) {
  return {
    tokenBudget: tokens,
    tokenWindowHours: windowHours,
    usedTokens,
    remainingTokens: Math.max(tokens - usedTokens, 0),
    availableAt: freeAt,
  };
}
