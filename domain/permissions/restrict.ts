import { AppError, notFound } from '../core/app-error.ts';
import type { ProjectContext } from '../project-context/describe-projects.ts';
import { type AllowlistName, allowlistOf, type ResourceKey, resourceOf } from '../resources.ts';
import { mayRedirect, permits, type Policy, policyAllows } from './policy.ts';

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

export interface AgentKeys {
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
interface RankedChain {
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
 * Restricts the project context of an agent to what its user may see: nothing without `projects.view`, no issues and
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

/** Replaces the name of an agent that the policy does not allow its user. */
export const HIDDEN_AGENT = 'Hidden agent';

/** A record that names the agent that wrote it, or that it is assigned to. */
interface NamesAgents {
  readonly agentId?: string | null;
  readonly agentName?: string | null;
  readonly assignedAgentId?: string | null;
  readonly assignedAgentName?: string | null;
}

/** Returns whether a policy keeps an agent from its holder; without a policy all are. */
export function isAgentHidden(policy: Policy | null, id: string): boolean {
  return policy === null || !permits(policy, 'agentIds', id);
}

/** Returns a record as a policy shows it: of an agent that the policy hides it says only that there is one. */
export function hideAgents<T extends NamesAgents>(policy: Policy | null, record: T): T {
  const { agentId = null, assignedAgentId = null } = record;
  const hidesAgent = agentId !== null && isAgentHidden(policy, agentId);
  const hidesAssigned = assignedAgentId !== null && isAgentHidden(policy, assignedAgentId);
  if (!hidesAgent && !hidesAssigned) return record;
  return {
    ...record,
    ...(hidesAgent && { agentId: null, agentName: HIDDEN_AGENT }),
    ...(hidesAssigned && { assignedAgentId: null, assignedAgentName: HIDDEN_AGENT }),
  };
}

/**
 * Returns what is to be set of a record that may be assigned to an agent. `not_found` for one that the policy hides;
 * who is not shown the present one sends null without meaning it.
 */
export function allowAssigned<T extends { readonly assignedAgentId?: string | null | undefined }>(
  policy: Policy,
  fields: T,
  present: string | null = null,
): T {
  const { assignedAgentId: wanted } = fields;
  if (typeof wanted === 'string') requireAllowed(policy, 'agents', wanted);
  const isMeant = wanted !== null || present === null || !isAgentHidden(policy, present);
  return isMeant ? fields : { ...fields, assignedAgentId: undefined };
}

/** Throws `not_found`, as for a missing record, for a record that an allowlist leaves out. */
export function requireAllowed(policy: Policy, resource: ResourceKey, id: string): void {
  const list = allowlistOf(resource);
  if (list !== undefined && !permits(policy, list.name, id)) throw notFound(resourceOf(resource).name);
}

/** Rejects adding a record to a resource with an allowlist: its creator could not use it. */
export function requireMayAdd(policy: Policy, resource: ResourceKey): void {
  const list = allowlistOf(resource);
  if (list === undefined || policy.allowlists[list.name] === 'all') return;
  throw new AppError('forbidden', `Your permission groups allow certain ${list.things} only, so you cannot add others`);
}

/** Rejects a change of a record that decides what the agents of others reach, or who answers; see `mayRedirect`. */
export function requireMayRedirect(
  { policy, userId }: { readonly policy: Policy; readonly userId: string },
  record: { readonly ownerId: string | null },
  what: 'channel' | 'destination' | 'integration' | 'MCP server' | 'tool',
): void {
  if (mayRedirect(policy, userId, record)) return;
  throw new AppError(
    'forbidden',
    `Somebody else has added this ${what}: only they, administrators and members who are granted this by a permission group may change it`,
  );
}
