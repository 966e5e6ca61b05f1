import { permits, type Policy } from '../../../domain/permissions/index.ts';
import type { TurnAccount, TurnAgent, TurnChain } from './claim-turn.ts';

/** A chain of the organization; `place` says who refers to it: 0 the chat, 1 the agent, 2 the organization, 3 nobody. */
export interface PlacedChain extends TurnChain {
  readonly place: 0 | 1 | 2 | 3;
}

/** An account and whose it is. */
export interface OwnedAccount extends TurnAccount {
  readonly userId: string | null;
}

/** The agent with only those of its tools and skills that the policy lets be used. */
export function restrictAgent(policy: Policy, agent: TurnAgent): TurnAgent {
  return {
    ...agent,
    tools: agent.tools.filter((key) => permits(policy, 'toolKeys', key)),
    skills: agent.skills.filter((key) => permits(policy, 'skillKeys', key)),
  };
}

/**
 * The chain to go by: the one that the policy forces, else the first that it lets be used of those that the chat, the
 * agent and the organization name. Who may use certain chains only goes by one of them in any case.
 */
export function chooseChain(policy: Policy, chains: readonly PlacedChain[]): TurnChain | null {
  const forced = chains.find(({ id }) => id === policy.defaultChainId);
  const isRestricted = policy.allowlists.chainIds !== 'all';
  const [first] = chains
    .filter(({ id, place }) => permits(policy, 'chainIds', id) && (isRestricted || place < 3))
    .toSorted((a, b) => a.place - b.place);
  const chain = forced ?? first;
  return chain === undefined ? null : { id: chain.id, name: chain.name, steps: chain.steps };
}

/**
 * The accounts that the policy lets be used, in the order given. Of more than it lets a user have, those are meant that
 * are the user's own, and then the first.
 */
export function restrictAccounts(policy: Policy, userId: string, accounts: readonly OwnedAccount[]): TurnAccount[] {
  const { maxProviderAccounts: limit } = policy.limits;
  const allowed = accounts.filter(({ id }) => permits(policy, 'providerIds', id));
  const ownFirst = allowed.toSorted((a, b) => Number(b.userId === userId) - Number(a.userId === userId));
  const kept = new Set(limit === 0 ? allowed : ownFirst.slice(0, limit));
  return allowed.filter((account) => kept.has(account)).map(({ userId: _owner, ...account }) => account);
}
