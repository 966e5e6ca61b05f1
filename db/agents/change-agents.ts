import { isDeepStrictEqual } from 'node:util';
import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import {
  cannotDirect,
  findWithheld,
  keysOfNewAgent,
  type LeftOutDefaults,
  requireKnownKeys,
  requireMayGive,
  requireReachable,
} from '../../domain/agents.ts';
import { type Policy, policyAllows } from '../../domain/permissions/policy.ts';
import { requireAllowed, requireMayAdd } from '../../domain/permissions/restrict.ts';
import { AGENT_DEFAULTS, type AgentFields, lockAgent, type NewAgent } from './agents.ts';
import type { ApprovalModes } from '../../domain/approvals.ts';
import { AppError } from '../../domain/core/app-error.ts';
import type { PrivateHosts } from '../../domain/network/addresses.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { type ExpectedVersions, requireVersion, type ResourceKey } from '../../domain/resources.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { knownAmong } from '../definitions/read-definitions.ts';
import { requireRoom } from '../orgs/require-room.ts';
import { addOnce, markDeleted, restoreDeleted } from '../records/records.ts';
import { Agent } from './agent.entity.ts';
import { requirePersona, requireReferences } from './references.ts';

/**
 * What instructs an agent: the fields that its prompt is made of, and the servers whose tools describe themselves to
 * it. Agents that may delegate to it see its description.
 */
const INSTRUCTIONS = [
  'description',
  'systemPrompt',
  'soul',
  'personaId',
  'skills',
  'mcps',
] as const satisfies readonly (keyof AgentFields)[];

type Instructions = Pick<AgentFields, (typeof INSTRUCTIONS)[number] | 'tools'>;

/**
 * Rejects changing the instructions of an agent, unless the caller could give it all that it has before and after.
 * Somebody who may not give it a tool may not direct it either, since it uses the tool for others who may. Somebody who
 * could give it the remaining skills may take others away.
 */
function checkMayInstruct(
  policy: Policy,
  agent: Instructions,
  changes: { readonly [F in keyof Instructions]?: Instructions[F] | undefined },
): void {
  const changed = INSTRUCTIONS.filter(
    (field) => changes[field] !== undefined && !isDeepStrictEqual(changes[field], agent[field]),
  );
  if (changed.length === 0) return;
  const { tools = agent.tools, skills = agent.skills } = changes;
  const takesOnly = changed.every((field) => field === 'skills') && skills.every((key) => agent.skills.includes(key));
  const present = takesOnly ? undefined : findWithheld(policy, agent);
  const withheld = present ?? findWithheld(policy, { tools, skills });
  if (withheld !== undefined) throw cannotDirect(withheld);
}

// Every interface changes agents through these functions, once it has checked that its caller has `agents.manage`.

/** The dependencies of changes of agents. */
export interface AgentDeps {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly orgLimits: OrgLimits;
  readonly privateHosts: PrivateHosts;
  /** Returns whether a key is that of a tool of the service. */
  readonly isToolKey: (key: string) => boolean;
  /** Returns whether an id is that of a record that ships with the service. */
  readonly isBuiltin: (resource: ResourceKey, id: string) => boolean;
}

/** The user who changes agents, or in whose name an agent does. */
export interface AgentActor {
  readonly orgId: string;
  readonly userId: string;
  readonly policy: Policy;
}

/** An agent that is changed, and the versions of it that the change is meant for. */
interface AgentRef {
  readonly id: string;
  readonly expected?: ExpectedVersions;
}

/** A new agent, and the defaults of its persona that it was not given. */
interface CreatedAgent {
  readonly agent: Agent;
  readonly leftOut: LeftOutDefaults | undefined;
}

/**
 * Adds an agent, which takes over the tools and skills of its persona unless it has its own. Under an id that was used
 * before it adds nothing, and returns the stored agent.
 */
export async function createAgent(
  deps: AgentDeps,
  actor: AgentActor,
  given: NewAgent,
  id?: string,
): Promise<CreatedAgent> {
  if (id === undefined) return addNew(deps, actor, given);
  const find = async () =>
    withOrgTransaction(deps.database, actor.orgId, async (em) => (await em.findOne(Agent, { id })) ?? undefined);
  const findCreated = async () => {
    const agent = await find();
    return agent && { agent, leftOut: undefined };
  };
  return addOnce(findCreated, async () => addNew(deps, actor, { ...given, id }));
}

async function addNew(
  deps: AgentDeps,
  actor: AgentActor,
  given: NewAgent & { readonly id?: string },
): Promise<CreatedAgent> {
  const { orgId, policy } = actor;
  requireReachable(given.mcps, deps.privateHosts);
  const persona = await requirePersona(deps, actor, given.personaId);
  const { tools = persona?.defaultTools, skills = persona?.defaultSkills } = given;
  const known = await knownAmong(deps, orgId, { ...given, tools, skills });
  requireKnownKeys(given, {}, known);
  const { leftOut, ...keys } = keysOfNewAgent(policy, given, persona, known);
  const agent = await withOrgTransaction(deps.database, orgId, async (em) =>
    addAgent(em, { ...actor, limits: deps.orgLimits }, { ...given, ...keys }),
  );
  return { agent, leftOut };
}

/** Changes the given fields of an agent only. */
export async function updateAgent(
  deps: AgentDeps,
  actor: AgentActor,
  { id, expected }: AgentRef,
  changes: Partial<AgentFields>,
): Promise<Agent> {
  const { orgId, policy } = actor;
  requireChangeable(deps, policy, id);
  requireReachable(changes.mcps, deps.privateHosts);
  const known = await knownAmong(deps, orgId, changes);
  return withOrgTransaction(deps.database, orgId, async (em) => {
    // Two changes at once are each compared with what the other has stored.
    const agent = await lockAgent(em, id);
    requireVersion(agent, expected);
    if (changes.personaId !== agent.personaId) await requirePersona(deps, actor, changes.personaId);
    requireKnownKeys(changes, agent, known);
    return changeAgent(em, policy, agent, changes);
  });
}

/** Deletes an agent softly. */
export async function deleteAgent(
  deps: Pick<AgentDeps, 'database' | 'isBuiltin'>,
  { orgId, userId, policy }: AgentActor,
  { id, expected }: AgentRef,
): Promise<void> {
  requireChangeable(deps, policy, id);
  await withOrgTransaction(deps.database, orgId, async (em) => {
    const agent = await lockAgent(em, id);
    requireVersion(agent, expected);
    markDeleted(agent, userId);
  });
}

/** Restores a deleted agent. */
export async function restoreAgent(
  { database, orgLimits }: Pick<AgentDeps, 'database' | 'orgLimits'>,
  { orgId, policy }: AgentActor,
  { id, expected }: AgentRef,
): Promise<Agent> {
  requireAllowed(policy, 'agents', id);
  return withOrgTransaction(database, orgId, async (em) => {
    await requireRoom(em, orgId, 'agents', orgLimits, { isNew: false });
    return restoreDeleted(em, Agent, { thing: 'Agent', id, expected });
  });
}

/** Adds an agent whose persona, tools and skills need not exist, such as one of a marketplace item. */
export async function addAgent(
  em: EntityManager,
  { orgId, policy, limits }: Pick<AgentActor, 'orgId' | 'policy'> & { readonly limits: OrgLimits },
  fields: NewAgent & { readonly id?: string },
): Promise<Agent> {
  requireMayAdd(policy, 'agents');
  const agent = { ...structuredClone(AGENT_DEFAULTS), ...fields };
  requireMayGive(policy, agent);
  requireMayRequireApproval(policy, {}, agent.requiresApproval);
  requireMayPublish(policy, false, agent.isPublished);
  await requireRoom(em, orgId, 'agents', limits);
  await requireReferences(em, policy, agent, AGENT_DEFAULTS);
  const unset = { slug: null, itemKey: null, version: null, installedDigest: null, deletedAt: null, deletedBy: null };
  return em.create(Agent, { ...agent, ...unset, orgId } as RequiredEntityData<Agent>, { persist: true });
}

/** Changes a locked agent, whose new persona, tools and skills need not exist. */
export async function changeAgent(
  em: EntityManager,
  policy: Policy,
  agent: Agent,
  changes: Partial<AgentFields>,
): Promise<Agent> {
  requireMayChangeAgent(policy, agent, changes);
  await requireReferences(em, policy, changes, agent);
  const { providerChainId = agent.providerChainId } = changes;
  if (providerChainId !== agent.providerChainId) afterCommit(em, { wakesTurnsOf: agent.orgId });
  return em.assign(agent, changes, { mergeObjectProperties: false });
}

/** Rejects what a user may not make of an agent, apart from what it would refer to. */
export function requireMayChangeAgent(policy: Policy, agent: Agent, changes: Partial<AgentFields>): void {
  requireMayGive(policy, changes, agent);
  checkMayInstruct(policy, agent, changes);
  requireMayRequireApproval(policy, agent.requiresApproval, changes.requiresApproval);
  requireMayPublish(policy, agent.isPublished, changes.isPublished);
}

function requireChangeable({ isBuiltin }: Pick<AgentDeps, 'isBuiltin'>, policy: Policy, id: string): void {
  if (isBuiltin('agents', id))
    throw new AppError(
      'forbidden',
      'Builtin agents cannot be changed or deleted; create an agent with the same fields instead',
    );
  requireAllowed(policy, 'agents', id);
}

/** Rejects changing when an agent's calls wait for a person, unless the caller may decide about such calls. */
function requireMayRequireApproval(policy: Policy, present: ApprovalModes, wanted: ApprovalModes | undefined): void {
  if (wanted === undefined || isDeepStrictEqual({ ...wanted }, { ...present })) return;
  if (policyAllows(policy, 'approvals.manage')) return;
  throw new AppError('forbidden', 'You need the permission approvals.manage to change when calls wait for a person');
}

/** Rejects publishing an agent, and withdrawing it, unless the caller decides for the organization. */
function requireMayPublish(policy: Policy, present: boolean, wanted: boolean | undefined): void {
  if (wanted === undefined || wanted === present || policyAllows(policy, 'settings.manage')) return;
  throw new AppError('forbidden', 'You need the permission settings.manage to publish an agent, or to withdraw it');
}
