import { z } from 'zod';
import { findSubAgentCandidates, type SubAgentCandidate } from '../../../db/agents/find-agents.ts';
import type { Database } from '../../../db/core/database.ts';
import { inLowerCase, listModelTags } from '../../../db/model-profiles.ts';
import { listRemoteCandidates, type RemoteCandidate } from '../../../db/integrations/remote-agents.ts';
import { readDelegationPart } from '../../../db/agent-prompts.ts';
import type { ClaimedTurn } from '../../../db/turns/claim/claimed-turn.ts';
import { countIntoTree } from '../../../db/turns/start-turn.ts';
import type { Delegation } from '../../../db/turns/steps/store-step.ts';
import { hasDelegation, mayDelegate, mayDelegateRemotely } from '../../../domain/agents.ts';
import { cut, nameText, text } from '../../../domain/core/text.ts';
import { permits } from '../../../domain/permissions/policy.ts';
import { AGENT_SPAWN, MAX_DEPTH } from '../../../domain/tool-calls/tool-call.ts';
import { shortSchema } from '../../../domain/tool-offer/split-offer.ts';
import { parseArguments, toJsonSchema } from '../arguments/parse-arguments.ts';
import type { BuiltinDefinition } from '../definition-files/builtin-definition.ts';
import { runnableTool } from '../runnable-tool.ts';
import type { CallError, CallPlan, ToolArguments } from '../tool.ts';
import type { SourcedTool, ToolSource } from '../toolset.ts';
import { cancelRemotely, delegateRemotely, describeRemote, remoteTimeLimit } from './remote-delegation.ts';

const MAX_TASK_CHARACTERS = 50_000;

const spawnParameters = z.strictObject({
  agent: nameText().describe('Name or id of the agent that should do the work.'),
  task: text(MAX_TASK_CHARACTERS)
    .trim()
    .min(1)
    .describe('The task, complete in itself: the agent sees nothing of this conversation.'),
  title: nameText().optional().describe('A short title for the work.'),
  context: text(MAX_TASK_CHARACTERS)
    .optional()
    .describe('What else the agent has to know, such as facts and results so far.'),
  model_tags: z
    .array(nameText(50))
    .min(1)
    .max(10)
    .optional()
    .describe('Kinds of work, for which a model is chosen; without them the agent uses its own.'),
});

/** Delegates work to a sub-agent, whose turn is the call, or to an agent of another platform. */
export const agentSpawn = {
  key: AGENT_SPAWN,
  name: 'Delegate work to other agents',
  description:
    'Delegates work to another agent and returns what it found or did. ' +
    'Several calls in one reply run at the same time.',
  category: 'platform',
  onlyInChats: true,
  parameters: spawnParameters,
  effect: 'agent',
  approval: 'writes',
  usesIntegration: ['a2a'],
} as const satisfies BuiltinDefinition;

const parameters = shortSchema(toJsonSchema(agentSpawn.parameters));

/** Gives the delegation tool to agents that list it among their tools or skills. */
export function delegation(deps: DelegationDeps): ToolSource {
  return ({ orgId, policy, agent, turn }) => {
    if (turn !== undefined) return mayDelegate(turn.policy, turn.agent) ? [spawnTool(deps, orgId, turn)] : [];
    return hasDelegation(policy, agent) && mayDelegateRemotely(policy) ? [remoteTool(deps, orgId)] : [];
  };
}

/** Makes the tool as it runs planned calls: those for agents of other platforms, since sub-agents make the others. */
function remoteTool(deps: DelegationDeps, orgId: string) {
  const tool = runnableTool({
    key: AGENT_SPAWN,
    description: agentSpawn.description,
    parameters,
    inline: false,
    prepare: (args) => {
      const read = parseArguments(AGENT_SPAWN, agentSpawn.parameters, args);
      if ('error' in read) return read;
      const { agent } = read.value;
      return {
        key: AGENT_SPAWN,
        effect: 'keyed',
        label: titleOf(read.value),
        timeoutSeconds: remoteTimeLimit(deps) + 60,
        describe: async (context) => describeRemote(agent, context),
        run: async (context) => delegateRemotely(deps, { orgId, agent, message: messageOf(read.value) }, context),
      };
    },
  });
  const abandon: SourcedTool['abandon'] = async (args, contextFor) => {
    const read = parseArguments(AGENT_SPAWN, agentSpawn.parameters, args);
    if ('error' in read) return;
    const context = contextFor(AbortSignal.timeout(ABANDON_MS));
    await cancelRemotely(deps, { orgId, agent: read.value.agent }, context).catch(() => undefined);
  };
  return { ...tool, abandon };
}

function spawnTool(deps: DelegationDeps, orgId: string, turn: ClaimedTurn): SourcedTool {
  const { agent, policy, ancestors } = turn;
  return {
    ...remoteTool(deps, orgId),
    // At the last level every call of it is rejected.
    isHidden: ancestors.length >= MAX_DEPTH,
    takesFences: true,
    instructions: async () => readDelegationPart(deps.database, { orgId, agentId: agent.id }, policy),
    plan: async (calls) => planDelegations(deps, { orgId, turn }, calls),
  };
}

/** Work for a sub-agent. */
type SpawnArguments = z.output<typeof spawnParameters>;

/** The dependencies of planning delegations. */
export interface DelegationDeps {
  readonly database: Database;
  /** Sub-agents below one turn at the root, at all levels together; 0 is unlimited. */
  readonly maxSubAgentsOfTree: number;
  /** Longest time that a sub-agent may work, in seconds. */
  readonly subAgentTimeLimitSeconds: number;
}

const MAX_TITLE_CHARACTERS = 100;
const ABANDON_MS = 10_000;

/** Plans the delegations of one reply. The agents that they name are looked up in one statement. */
async function planDelegations(
  deps: DelegationDeps,
  { orgId, turn }: { readonly orgId: string; readonly turn: ClaimedTurn },
  calls: readonly ToolArguments[],
): Promise<readonly (CallPlan | CallError)[]> {
  const spawns = calls.map((args) => parseArguments(AGENT_SPAWN, agentSpawn.parameters, args));
  const named = spawns.flatMap((spawn) => ('value' in spawn ? [spawn.value.agent] : []));
  const found = named.length === 0 ? [] : await findSubAgentCandidates(deps.database, orgId, named);
  // Agents that the user may not use appear as unknown.
  const candidates = found.filter(({ id }) => turn.policy !== null && permits(turn.policy, 'agentIds', id));
  const remote =
    named.length > 0 && mayDelegateRemotely(turn.policy) ? await listRemoteCandidates(deps.database, orgId) : [];
  const asksForTags = spawns.some((spawn) => 'value' in spawn && spawn.value.model_tags !== undefined);
  const modelTags = asksForTags ? await listModelTags(deps.database, orgId) : [];
  let left = turn.agent.maxSubagents - turn.subAgentCount;
  const plans = spawns.map((spawn) => {
    if ('error' in spawn) return spawn;
    const plan = planDelegation(deps, turn, { spawn: spawn.value, candidates, remote, modelTags, left });
    if (!('error' in plan)) left -= 1;
    return plan;
  });
  return boundTree(deps, { orgId, turn }, plans);
}

interface DelegationChoice {
  readonly spawn: SpawnArguments;
  readonly candidates: readonly SubAgentCandidate[];
  readonly remote: readonly RemoteCandidate[];
  /** The tags of all model profiles, when any of the calls asks for some. */
  readonly modelTags: readonly string[];
  /** Sub-agents that the turn may still start. */
  readonly left: number;
}

function planDelegation(
  { subAgentTimeLimitSeconds: timeLimitSeconds }: DelegationDeps,
  turn: ClaimedTurn,
  { spawn, candidates, remote, modelTags, left }: DelegationChoice,
): CallError | CallPlan {
  if (turn.ancestors.length >= MAX_DEPTH)
    return rejected(`Sub-agents may not go deeper than ${MAX_DEPTH} levels. Do this part of the work yourself.`);
  const candidate = chooseCandidate({ candidates, remote }, spawn.agent, turn.agent.id);
  if ('rejected' in candidate) return rejected(candidate.rejected);
  if (left <= 0)
    return rejected(`You have used all ${turn.agent.maxSubagents} sub-agents of this turn. Go on without another.`);
  const wanted = spawn.model_tags === undefined ? null : inLowerCase(spawn.model_tags);
  if (wanted !== null && !wanted.some((tag) => modelTags.includes(tag))) return rejected(noModelFor(wanted, modelTags));
  const title = titleOf(spawn);
  if (!('id' in candidate)) {
    if (wanted !== null) return rejected(`${candidate.name} chooses its model itself: leave model_tags out.`);
    return { effect: 'keyed', label: title, approval: agentSpawn.approval };
  }
  const message = messageOf(spawn);
  const delegation: Delegation = { agentId: candidate.id, title, message, timeLimitSeconds, modelTags: wanted };
  return { effect: 'agent', label: title, delegation };
}

function messageOf({ task, context }: SpawnArguments): string {
  return context === undefined ? task : `${task}\n\nContext:\n${context}`;
}

function noModelFor(wanted: readonly string[], modelTags: readonly string[]): string {
  const known =
    modelTags.length === 0 ? 'There are none: leave model_tags out.' : `There are: ${modelTags.join(', ')}.`;
  return `No model is meant for ${wanted.join(', ')}. ${known}`;
}

// Counts the delegations into the turn's whole tree, and rejects surplus ones.
async function boundTree(
  { database, maxSubAgentsOfTree: atMost }: DelegationDeps,
  { orgId, turn }: { readonly orgId: string; readonly turn: ClaimedTurn },
  plans: readonly (CallPlan | CallError)[],
): Promise<readonly (CallPlan | CallError)[]> {
  const count = plans.filter((plan) => !('error' in plan)).length;
  if (count === 0 || atMost === 0) return plans;
  const rootId = turn.ancestors[0]?.turnId ?? turn.id;
  let left = await countIntoTree(database, orgId, { rootId, count, atMost });
  return plans.map((plan) => {
    if ('error' in plan) return plan;
    left -= 1;
    return left >= 0 ? plan : rejected(`This message has used its ${atMost} sub-agents. Do the rest yourself.`);
  });
}

function rejected(message: string): CallError {
  return { error: { kind: 'invalid_input', message } };
}

function titleOf({ title, task }: SpawnArguments): string {
  if (title !== undefined) return title;
  const line = task.trim().split('\n', 1)[0] ?? '';
  const short = line.length > MAX_TITLE_CHARACTERS ? `${cut(line, MAX_TITLE_CHARACTERS - 1)}…` : line;
  return short.toWellFormed();
}

/** An agent that can be delegated to, or why there is none. */
type Choice = SubAgentCandidate | RemoteCandidate | { readonly rejected: string };

/** Chooses the agent that a call names by id or name; `ownId` is that of the calling agent. */
function chooseCandidate(
  { candidates, remote }: Pick<DelegationChoice, 'candidates' | 'remote'>,
  named: string,
  ownId: string,
): Choice {
  const elsewhere = remote.find(({ name }) => name.toLowerCase() === named.trim().toLowerCase());
  const byId = candidates.find(({ id }) => id === named.toLowerCase());
  const byName = candidates.filter(({ name }) => name.toLowerCase() === named.trim().toLowerCase());
  const agent = byId ?? byName[0];
  if (elsewhere !== undefined && byId === undefined) {
    if (agent === undefined) return elsewhere;
    return { rejected: `Another platform's agent has the name "${agent.name}" too. Give the id: ${idsOf(byName)}.` };
  }
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
