import { isToolKey } from '../../builtin/index.ts';
import type { Agent } from '../../db/agents/agent.entity.ts';
import { type BrokenReferences, findBrokenReferences } from '../../db/agents/references.ts';
import type { DefinitionHead, DefinitionKind } from '../../domain/definitions/definition.ts';
import { MCP_TOOLS_KEY } from '../../domain/mcp-servers.ts';
import { profileNameOf } from '../../domain/model-profiles.ts';
import type { ApiContext } from '../context/api-context.ts';
import { reasonsOf } from '../definitions/usability.ts';

/** A definition that is not offered to the model, and why. */
interface UnusableDefinition {
  readonly key: string;
  readonly problem: string;
}

/** References of an agent to records that do not exist, no longer exist, or cannot be used. */
export interface MissingReferences {
  readonly tools: string[];
  readonly unusableTools: UnusableDefinition[];
  readonly skills: string[];
  readonly unusableSkills: UnusableDefinition[];
  readonly personaId: string | null;
  readonly mcpServers: string[];
  readonly mcpTools: { readonly serverId: string; readonly tools: string[] }[];
  readonly modelProfile: string | null;
}

interface References {
  readonly tools: readonly string[];
  readonly skills: readonly string[];
  /** Builtin agents have none. */
  readonly personaId?: string | null;
}

/** Why a tool of the catalog cannot be used that nobody has defined. */
const NOT_RUN = 'this version of the service does not run it yet';

type Context = Pick<ApiContext, 'database' | 'definitions'>;

/** Returns a function that finds what builtin agents refer to and does not exist in an organization. */
export async function missingOfTemplates(
  context: Context,
  orgId: string,
  agents: readonly References[],
): Promise<(agent: References) => MissingReferences> {
  const missingOf = await definitionFinder(context, orgId, agents);
  return (agent) => ({ ...missingOf(agent), mcpServers: [], mcpTools: [], modelProfile: null });
}

/** Returns what a stored agent refers to and does not exist. */
export async function missingOfAgent(context: Context, agent: Agent): Promise<MissingReferences> {
  const { id: agentId, orgId } = agent;
  const [missingOf, broken] = await Promise.all([
    definitionFinder(context, orgId, [agent]),
    findBrokenReferences(context.database, { orgId, agentId }),
  ]);
  return { ...missingOf(agent), ...brokenOf(agent, broken) };
}

type MissingDefinitions = Pick<
  MissingReferences,
  'tools' | 'unusableTools' | 'skills' | 'unusableSkills' | 'personaId'
>;

/** Returns a function that finds which definitions these agents refer to in vain. */
async function definitionFinder(
  context: Context,
  orgId: string,
  agents: readonly References[],
): Promise<(agent: References) => MissingDefinitions> {
  const { definitions } = context;
  const version = await definitions.versionOf(orgId);
  const [tools, skills, personas] = await Promise.all([
    definitions.heads(orgId, 'tool', version),
    definitions.heads(orgId, 'skill', version),
    definitions.heads(orgId, 'persona', version),
  ]);
  const [ofTools, ofSkills] = await Promise.all([
    problemsByKey(context, orgId, { kind: 'tool', keys: agents.flatMap((agent) => agent.tools), heads: tools }),
    problemsByKey(context, orgId, { kind: 'skill', keys: agents.flatMap((agent) => agent.skills), heads: skills }),
  ]);
  const isPersona = (id: string) =>
    definitions.shipped.findById('persona', id) !== undefined || personas.some((persona) => persona.id === id);
  return (agent) => ({
    tools: agent.tools.filter((key) => !ofTools.has(key)),
    unusableTools: unusableAmong(agent.tools, ofTools),
    skills: agent.skills.filter((key) => !ofSkills.has(key)),
    unusableSkills: unusableAmong(agent.skills, ofSkills),
    personaId: typeof agent.personaId === 'string' && !isPersona(agent.personaId) ? agent.personaId : null,
  });
}

/** Why definitions cannot be used, by key; null for those that can. Keys without a definition are left out. */
type ProblemsByKey = ReadonlyMap<string, string | null>;

async function problemsByKey(
  context: Context,
  orgId: string,
  {
    kind,
    keys,
    heads,
  }: { readonly kind: DefinitionKind; readonly keys: readonly string[]; readonly heads: readonly DefinitionHead[] },
): Promise<ProblemsByKey> {
  const named = new Set(keys);
  const all = heads.filter(({ key }) => named.has(key));
  const problems = await reasonsOf(context, orgId, { kind, all });
  const ofCatalog = kind === 'tool' ? [...named].filter(isToolKey) : [];
  return new Map([
    ...ofCatalog.map((key) => [key, key === MCP_TOOLS_KEY ? null : NOT_RUN] as const),
    ...all.map(({ id, key }) => [key, problems.get(id) ?? null] as const),
  ]);
}

function unusableAmong(keys: readonly string[], problems: ProblemsByKey): UnusableDefinition[] {
  return keys.flatMap((key) => {
    const problem = problems.get(key) ?? null;
    return problem === null ? [] : [{ key, problem }];
  });
}

function brokenOf({ modelPref }: Agent, { servers, isProfileGone }: BrokenReferences) {
  return {
    mcpServers: servers.filter(({ isGone }) => isGone).map(({ id }) => id),
    mcpTools: servers
      .filter(({ isGone }) => !isGone)
      .map(({ id: serverId, goneTools }) => ({ serverId, tools: [...goneTools] })),
    modelProfile: isProfileGone ? (profileNameOf(modelPref) ?? null) : null,
  };
}
