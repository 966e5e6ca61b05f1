import type { SubAgentCandidate } from '../../../../db/agents/index.ts';

/** An agent that can be delegated to, or why there is none. */
type Choice = SubAgentCandidate | { readonly rejected: string };

/** Chooses the agent that a call names by id or name; `ownId` is that of the calling agent. */
export function chooseCandidate(candidates: readonly SubAgentCandidate[], named: string, ownId: string): Choice {
  const byId = candidates.find(({ id }) => id === named.toLowerCase());
  const byName = candidates.filter(({ name }) => name.toLowerCase() === named.trim().toLowerCase());
  const agent = byId ?? byName[0];
  if (agent === undefined)
    return { rejected: `There is no agent "${named.slice(0, 200)}". Give the name or id of an agent.` };
  if (byId === undefined && byName.length > 1)
    return { rejected: `Several agents have the name "${agent.name}". Give the id of one: ${idsOf(byName)}.` };
  if (agent.id === ownId)
    return { rejected: 'An agent cannot delegate work to itself. Do it yourself, or choose another.' };
  if (!agent.isActive) return { rejected: `The agent "${agent.name}" is not active. Choose another one.` };
  return agent;
}

function idsOf(candidates: readonly SubAgentCandidate[]): string {
  return candidates
    .slice(0, 10)
    .map(({ id }) => id)
    .join(', ');
}
