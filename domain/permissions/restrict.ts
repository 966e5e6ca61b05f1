import type { ProjectContext } from '../project-context/index.ts';
import type { AllowlistName } from '../resources/index.ts';
import { permits, type Policy, policyAllows } from './policy.ts';

/** Returns the ids that a policy restricts a list to; undefined when it allows all, and none without a policy. */
export function allowedIds(policy: Policy | null, list: AllowlistName): readonly string[] | undefined {
  if (policy === null) return [];
  const allowed = policy.allowlists[list];
  return allowed === 'all' ? undefined : [...allowed];
}

/** The resources whose records name others, with what shows them. */
const SHOWN_BY = {
  agents: { key: 'agents.view', list: 'agentIds' },
  tools: { key: 'tools.view', list: 'toolKeys' },
} as const;

/** Returns the ids or keys of those records that a policy shows; undefined when it shows all. */
export function shownBy(policy: Policy, resource: keyof typeof SHOWN_BY): readonly string[] | undefined {
  const { key, list } = SHOWN_BY[resource];
  return policyAllows(policy, key) ? allowedIds(policy, list) : [];
}

interface AgentKeys {
  readonly tools: readonly string[];
  readonly skills: readonly string[];
}

/** Restricts an agent to those of its tools and skills that the policy allows. */
export function restrictAgent<A extends AgentKeys>(policy: Policy, agent: A): A {
  return {
    ...agent,
    tools: agent.tools.filter((key) => permits(policy, 'toolKeys', key)),
    skills: agent.skills.filter((key) => permits(policy, 'skillKeys', key)),
  };
}

/** A provider chain of the organization. */
export interface RankedChain {
  readonly id: string;
  /** The referrer: 0 the chat, 1 the agent, 2 the project, 3 the organization, 4 nobody (`UNREFERENCED`). */
  readonly rank: number;
}

/** The rank of a chain that nothing refers to. */
export const UNREFERENCED = 4;

/**
 * Chooses the chain of a turn: the one that the policy forces, else the allowed one of the lowest rank. A chain that
 * nobody refers to is chosen only under a policy that allows certain chains only: its user always uses one of them.
 */
export function chooseChain<C extends RankedChain>(policy: Policy, chains: readonly C[]): C | undefined {
  const forced = chains.find(({ id }) => id === policy.defaultChainId);
  const isRestricted = policy.allowlists.chainIds !== 'all';
  const [first] = chains
    .filter(({ id, rank }) => permits(policy, 'chainIds', id) && (isRestricted || rank < UNREFERENCED))
    .toSorted((a, b) => a.rank - b.rank);
  return forced ?? first;
}

interface OwnedAccount {
  readonly id: string;
  readonly userId: string | null;
}

/**
 * Restricts provider accounts to those that the policy allows, and to as many as it allows; the order stays. The user's
 * own accounts are kept first, then the oldest.
 */
export function restrictAccounts<A extends OwnedAccount>(policy: Policy, userId: string, accounts: readonly A[]): A[] {
  const { maxProviderAccounts: limit } = policy.limits;
  const allowed = accounts.filter(({ id }) => permits(policy, 'providerIds', id));
  if (limit === 0) return allowed;
  const ownFirst = allowed.toSorted((a, b) => Number(b.userId === userId) - Number(a.userId === userId));
  const kept = new Set(ownFirst.slice(0, limit));
  return allowed.filter((account) => kept.has(account));
}

/**
 * Restricts what an agent is told of projects to what its user may see: nothing without `projects.view`, no issues and
 * tasks without the keys of theirs, and tasks of other members' chats only where the user sees shared chats.
 */
export function restrictProjects(
  policy: Policy | null,
  userId: string,
  projects: readonly ProjectContext[],
): readonly ProjectContext[] {
  if (policy === null || !policyAllows(policy, 'projects.view')) return [];
  const seesIssues = policyAllows(policy, 'issues.view');
  const seesTasks = policyAllows(policy, 'tasks.view');
  const seesShared = policyAllows(policy, 'chats.view_shared');
  return projects.map((project) => ({
    ...project,
    ...(seesIssues ? {} : { issues: [], hasMoreIssues: false }),
    tasks: project.tasks.filter(
      ({ ownerId, isShared }) => seesTasks && (ownerId === userId || (isShared && seesShared)),
    ),
  }));
}
