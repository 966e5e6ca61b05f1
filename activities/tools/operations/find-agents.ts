import { findSubAgentCandidates } from '../../../db/agents/index.ts';
import type { Database } from '../../../db/core/index.ts';
import { AppError, notFound } from '../../../domain/core/app-error.ts';
import { permits, type Policy } from '../../../domain/permissions/index.ts';

/** Who names agents. */
interface AgentScope {
  readonly orgId: string;
  /** The rights of the user now; null when they are no longer a member. */
  readonly policy: Policy | null;
}

/**
 * Looks up agents by their names or ids. Returns a function that finds each; it throws for one that is unknown, or that
 * the user may not use, which looks the same.
 */
export async function findAgents(
  database: Database,
  { orgId, policy }: AgentScope,
  named: readonly { readonly agent: string | undefined }[],
): Promise<(agent: string | undefined) => string | null> {
  const names = [...new Set(named.flatMap(({ agent }) => agent ?? []))];
  const all = names.length === 0 ? [] : await findSubAgentCandidates(database, orgId, names);
  const found = all.filter(({ id, isActive }) => isActive && policy !== null && permits(policy, 'agentIds', id));
  return (agent) => {
    if (agent === undefined) return null;
    const wanted = agent.trim().toLowerCase();
    const byName = found.filter(({ name }) => name.toLowerCase() === wanted);
    const match = found.find(({ id }) => id === wanted) ?? byName[0];
    if (match === undefined) throw notFound(`Agent "${agent.slice(0, 200)}"`);
    if (match.id !== wanted && byName.length > 1)
      throw new AppError('conflict', `Several agents have the name "${match.name}"; give the id of one`);
    return match.id;
  };
}
