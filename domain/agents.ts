import { ANY_TOOL, type ApprovalModes } from './approvals.ts';
import { AppError, type FieldFault, rejectFaults } from './core/app-error.ts';
import type { PersonaFields } from './definitions/definition.ts';
import { MCP_NAME } from './mcp-servers.ts';
import { baseUrlIssue } from './network/host-names.ts';
import type { PrivateHosts } from './network/addresses.ts';
import { type AgentKeys, allowedIds } from './permissions/restrict.ts';
import { permits, type Policy } from './permissions/policy.ts';
import { nameInSentence } from './resources.ts';
import { AGENT_SPAWN } from './tool-calls/tool-call.ts';

/** The kinds of work an agent can be made for (specification, "Agent"). */
export const AGENT_TYPES = ['architect', 'assistant', 'coordinator', 'custom', 'devops', 'project_manager'] as const;
export type AgentType = (typeof AGENT_TYPES)[number];

/** A tool or skill that somebody may not give to an agent. */
interface WithheldKey {
  readonly resource: 'tools' | 'skills';
  readonly key: string;
}

/** Returns the tools that keys give an agent: as a skill `agent_spawn` gives the tool of the same name. */
export function toolsGivenBy({ tools, skills }: AgentKeys): readonly string[] {
  return skills.includes(AGENT_SPAWN) ? [...new Set([...tools, AGENT_SPAWN])] : tools;
}

/** Returns the first of the keys that a policy does not let its user give to an agent; undefined when it allows all. */
export function findWithheld(policy: Policy, given: AgentKeys): WithheldKey | undefined {
  const tool = toolsGivenBy(given).find((key) => !permits(policy, 'toolKeys', key));
  if (tool !== undefined) return { resource: 'tools', key: tool };
  const skill = given.skills.find((key) => !permits(policy, 'skillKeys', key));
  return skill === undefined ? undefined : { resource: 'skills', key: skill };
}

/** Makes the error for somebody who may not direct an agent, since they may not give it all that it has. */
export function cannotDirect({ resource, key }: WithheldKey, agentName?: string): AppError {
  const agent = agentName === undefined ? 'The agent' : `The agent "${agentName}"`;
  const words = `${agent} has the ${nameInSentence(resource)} "${key}", which your permission groups do not let you use, so you cannot change its instructions`;
  return new AppError('forbidden', words);
}

interface DelegatingAgent extends AgentKeys {
  readonly maxSubagents: number;
}

/**
 * Returns whether an agent may delegate for this user: it lists the tool among its tools or skills, and the user may
 * use it.
 */
export function mayDelegate(policy: Policy | null, agent: DelegatingAgent): boolean {
  return agent.maxSubagents > 0 && hasDelegation(policy, agent);
}

/** Returns whether delegation calls that an agent has already made may still run for this user. */
export function hasDelegation(policy: Policy | null, agent: AgentKeys): boolean {
  return policy !== null && toolsGivenBy(agent).includes(AGENT_SPAWN) && permits(policy, 'toolKeys', AGENT_SPAWN);
}

/**
 * Returns whether agents of other platforms may be given work for this user. An allowlist of agents names none of them.
 */
export function mayDelegateRemotely(policy: Policy | null): boolean {
  return policy !== null && allowedIds(policy, 'agentIds') === undefined;
}

/** The keys of an agent that somebody sets. */
export interface AgentKeyChanges {
  readonly tools?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
  /** When calls wait for a person, by the keys of their tools. */
  readonly requiresApproval?: ApprovalModes | undefined;
}

/** Decides which keys exist in an organization. */
export interface KnownKeys {
  readonly tools: (key: string) => boolean;
  readonly skills: (key: string) => boolean;
}

/**
 * Rejects keys that mean nothing. Keys that the agent has already can stay, and a mode can name tools of MCP servers,
 * which come and go.
 */
export function requireKnownKeys(wanted: AgentKeyChanges, present: AgentKeyChanges, known: KnownKeys): void {
  const unknownIn = (field: 'tools' | 'skills') => {
    const unknown = new Set(addedTo(present[field], wanted[field]).filter((key) => !known[field](key)));
    return (wanted[field] ?? []).flatMap((key, index) =>
      unknown.has(key) ? [faultOf(field, key, [field, index])] : [],
    );
  };
  const { requiresApproval: modes = {} } = present;
  const unknownModes = Object.keys(wanted.requiresApproval ?? {}).filter(
    (key) => key !== ANY_TOOL && !key.startsWith(MCP_NAME) && !Object.hasOwn(modes, key) && !known.tools(key),
  );
  const ofModes = unknownModes.map((key) => faultOf('tools', key, ['requiresApproval', key]));
  rejectFaults([...unknownIn('tools'), ...unknownIn('skills'), ...ofModes]);
}

function faultOf(resource: 'tools' | 'skills', key: string, path: FieldFault['path']): FieldFault {
  return { path, message: `There is no ${nameInSentence(resource)} "${key}"` };
}

/**
 * Rejects giving an agent tools and skills that its giver may not use: it would use them for others, who may. Keys that
 * the agent has already can stay.
 */
export function requireMayGive(policy: Policy, wanted: AgentKeyChanges, present: AgentKeyChanges = {}): void {
  const withheld = findWithheld(policy, {
    tools: addedTo(present.tools, wanted.tools),
    skills: addedTo(present.skills, wanted.skills),
  });
  if (withheld === undefined) return;
  const words = `Your permission groups do not let you use the ${nameInSentence(withheld.resource)} "${withheld.key}", so you cannot give it to an agent`;
  throw new AppError('forbidden', words);
}

function addedTo(present: readonly string[] = [], wanted: readonly string[] = []): string[] {
  return wanted.filter((key) => !present.includes(key));
}

/** A default of a persona that an agent was not given, and why. */
interface LeftOutDefault {
  readonly key: string;
  readonly problem: string;
}

/** The defaults of its persona that a new agent was not given though it names none itself. */
export interface LeftOutDefaults {
  readonly tools: LeftOutDefault[];
  readonly skills: LeftOutDefault[];
}

interface NewAgentKeys {
  readonly tools: string[];
  readonly skills: string[];
  readonly leftOut: LeftOutDefaults | undefined;
}

/**
 * Returns the tools and skills of a new agent: its own where it names some, even none, and otherwise the defaults of
 * its persona, as far as they exist and its creator may give them to an agent.
 */
export function keysOfNewAgent(
  policy: Policy,
  own: { readonly tools?: string[] | undefined; readonly skills?: string[] | undefined },
  persona: PersonaFields | null,
  known: KnownKeys,
): NewAgentKeys {
  const defaults = persona ?? NO_DEFAULTS;
  const tools = own.tools ? whole(own.tools) : divide(policy, 'tools', defaults.defaultTools, known);
  const skills = own.skills ? whole(own.skills) : divide(policy, 'skills', defaults.defaultSkills, known);
  const isAnyLeftOut = tools.leftOut.length + skills.leftOut.length > 0;
  return {
    tools: tools.given,
    skills: skills.given,
    leftOut: isAnyLeftOut ? { tools: tools.leftOut, skills: skills.leftOut } : undefined,
  };
}

const NO_DEFAULTS = { defaultTools: [], defaultSkills: [] } as const;

interface Divided {
  readonly given: string[];
  readonly leftOut: LeftOutDefault[];
}

function whole(given: string[]): Divided {
  return { given, leftOut: [] };
}

function divide(policy: Policy, field: 'tools' | 'skills', defaults: readonly string[], known: KnownKeys): Divided {
  const problemOf = (key: string) => {
    if (!known[field](key)) return `There is no ${nameInSentence(field)} of this key`;
    const isWithheld = findWithheld(policy, { tools: [], skills: [], [field]: [key] }) !== undefined;
    return isWithheld ? 'Your permission groups do not let you give it to an agent' : undefined;
  };
  const leftOut = defaults.flatMap((key) => {
    const problem = problemOf(key);
    return problem === undefined ? [] : [{ key, problem }];
  });
  return { given: defaults.filter((key) => leftOut.every((each) => each.key !== key)), leftOut };
}

type AttachedServers = readonly Readonly<Record<string, unknown>>[];

/** Rejects MCP servers of an agent at addresses that outgoing calls may not reach. */
export function requireReachable(servers: AttachedServers = [], privateHosts: PrivateHosts): void {
  rejectFaults(
    servers.flatMap((server, index) => {
      const { url } = server;
      const isAddress = typeof url === 'string' && idOfServer(server) === undefined;
      const message = isAddress ? baseUrlIssue(url, privateHosts) : undefined;
      return message === undefined ? [] : [{ path: ['mcps', index, 'url'], message }];
    }),
  );
}

/** Returns the id of the record that an entry names; undefined for an address without one. */
export function idOfServer({ id }: AttachedServers[number]): string | undefined {
  return typeof id === 'string' ? id : undefined;
}
