import { type GroupRules, type Policy, policyAllows, policyOf } from '../../domain/permissions/policy.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { LRUCache } from 'lru-cache';

/** Returns whether the caller decides about records that work for the whole organization. */
export function isAdministrator({ policy }: OrgCaller): boolean {
  return policyAllows(policy, 'settings.manage');
}

/** A member, as found by the look-up of their credential for this request. */
interface CallerMembership {
  readonly orgId: string;
  readonly userId: string;
  readonly role: Role;
  /** Changes whenever the inputs of the policy change. */
  readonly version: string;
}

/** The number of policies to remember; the least recently used are forgotten first. */
const MAX_MEMBERS = 10_000;

/**
 * Caches the policies of active members. A policy is computed from the member's groups at first use and after each
 * change: the caller of each request contains the version of their membership. So a warm request costs no query of its
 * own, and a policy is never older than its caller.
 */
export class Policies {
  readonly #findGroups: (orgId: string, userId: string) => Promise<readonly GroupRules[]>;
  readonly #remembered = new LRUCache<string, { readonly role: Role; readonly policy: Policy }>({ max: MAX_MEMBERS });

  constructor(findGroups: (orgId: string, userId: string) => Promise<readonly GroupRules[]>) {
    this.#findGroups = findGroups;
  }

  async policyOf({ orgId, userId, role, version }: CallerMembership): Promise<Policy> {
    const known = this.#remembered.get(version);
    if (known?.role === role) return known.policy;
    const policy = policyOf(role, await this.#findGroups(orgId, userId));
    this.#remembered.set(version, { role, policy });
    return policy;
  }
}
