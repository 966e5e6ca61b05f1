import { LRUCache } from 'lru-cache';
import { type GroupRules, type Policy, policyOf, type Role } from '../../domain/permissions/index.ts';

/** A member, as their credential was looked up for this request. */
interface Member {
  readonly orgId: string;
  readonly userId: string;
  readonly role: Role;
  /** Another one after each change of what the policy is made of. */
  readonly version: string;
}

/** Members remembered at most; those who were not seen for the longest time are forgotten first. */
const MAX_MEMBERS = 10_000;

/**
 * The policies of the members who are at work. One is made of the member's groups when it is asked for first and after
 * each change: the look-up of the credential, which every request makes, brings the version along. So a warm request
 * costs no query of its own, and none is judged by what held before.
 */
export class Policies {
  readonly #findGroups: (orgId: string, userId: string) => Promise<readonly GroupRules[]>;
  readonly #remembered = new LRUCache<string, { readonly role: Role; readonly policy: Policy }>({ max: MAX_MEMBERS });

  constructor(findGroups: (orgId: string, userId: string) => Promise<readonly GroupRules[]>) {
    this.#findGroups = findGroups;
  }

  async policyOf({ orgId, userId, role, version }: Member): Promise<Policy> {
    const known = this.#remembered.get(version);
    if (known?.role === role) return known.policy;
    const policy = policyOf(role, await this.#findGroups(orgId, userId));
    this.#remembered.set(version, { role, policy });
    return policy;
  }
}
