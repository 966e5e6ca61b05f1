import { type SubAgentCandidate, findSubAgentCandidates } from '../../../db/agents/index.ts';
import type { Database } from '../../../db/core/index.ts';
import type { ClaimedTurn, Delegation } from '../../../db/turns/index.ts';
import { cut } from '../../../domain/core/text.ts';
import { readSpawn } from '../../../domain/prompts/index.ts';
import { AGENT_SPAWN, MAX_DEPTH, type ReadCall } from '../../../domain/tool-calls/index.ts';
import { mayUseAgent } from './tool-offer.ts';

/** Makes work for a sub-agent of a call's arguments, or says why it cannot. */
export type PlanDelegation = (args: ReadCall['arguments']) => Delegation | { readonly issue: string };

/** Looks up the agents that the calls name, all in one statement, and answers how to plan each call. */
export async function delegationPlanner(
  database: Database,
  orgId: string,
  turn: ClaimedTurn,
  { calls, timeLimitSeconds }: { calls: readonly ReadCall[]; timeLimitSeconds: number },
): Promise<PlanDelegation> {
  const named = calls.flatMap(({ name, arguments: args }) =>
    name === AGENT_SPAWN && typeof args['agent'] === 'string' ? [args['agent']] : [],
  );
  const found = named.length === 0 ? [] : await findSubAgentCandidates(database, orgId, named);
  // Those that the user may not use are answered like those that do not exist.
  const candidates = found.filter(({ id }) => mayUseAgent(turn, id));
  let left = turn.agent.maxSubagents - turn.subAgentCount;
  return (args) => {
    const read = readSpawn(args);
    if ('issue' in read) return read;
    const spawn = read.value;
    if (turn.ancestors.length >= MAX_DEPTH)
      return { issue: `Sub-agents may not go deeper than ${MAX_DEPTH} levels. Do this part of the work yourself.` };
    const candidate = chooseCandidate(candidates, spawn.agent, turn);
    if ('issue' in candidate) return candidate;
    if (left <= 0)
      return {
        issue: `You may use ${turn.agent.maxSubagents} sub-agents in one turn, and have. Go on without another.`,
      };
    left -= 1;
    const message = spawn.context === undefined ? spawn.task : `${spawn.task}\n\nContext:\n${spawn.context}`;
    return { agentId: candidate.id, title: spawn.title ?? titleOf(spawn.task), message, timeLimitSeconds };
  };
}

function chooseCandidate(
  candidates: readonly SubAgentCandidate[],
  named: string,
  turn: ClaimedTurn,
): SubAgentCandidate | { readonly issue: string } {
  const byId = candidates.find(({ id }) => id === named.toLowerCase());
  const byName = candidates.filter(({ name }) => name.toLowerCase() === named.trim().toLowerCase());
  const agent = byId ?? byName[0];
  if (agent === undefined)
    return { issue: `There is no agent "${named.slice(0, 200)}". Give the name or id of an agent.` };
  if (byId === undefined && byName.length > 1)
    return { issue: `Several agents have the name "${agent.name}". Give the id of one: ${idsOf(byName)}.` };
  if (agent.id === turn.agent.id)
    return { issue: 'An agent cannot hand work to itself. Do it yourself, or choose another.' };
  if (!agent.isActive) return { issue: `The agent "${agent.name}" is not active. Choose another one.` };
  return agent;
}

function idsOf(candidates: readonly SubAgentCandidate[]): string {
  return candidates
    .slice(0, 10)
    .map(({ id }) => id)
    .join(', ');
}

const MAX_TITLE_CHARACTERS = 100;

function titleOf(task: string): string {
  const line = task.trim().split('\n', 1)[0] ?? '';
  const title = line.length > MAX_TITLE_CHARACTERS ? `${cut(line, MAX_TITLE_CHARACTERS - 1)}…` : line;
  return title.toWellFormed();
}
