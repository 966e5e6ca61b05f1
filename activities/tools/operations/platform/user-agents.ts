import type { EntityManager } from '@mikro-orm/postgresql';
import { isToolKey } from '../../../../builtin/index.ts';
import { addAgentOnce, type Agent, checkMayTell, lockAgent, updateAgent } from '../../../../db/agents/index.ts';
import { type Database, withOrgTransaction } from '../../../../db/core/index.ts';
import { type Definitions, knownAmong } from '../../../../db/definitions/index.ts';
import {
  type AgentKeyChanges,
  findUnknownKeys,
  type KnownKeys,
  keysOfNewAgent,
  requireMayGive,
  wordsOfUnknown,
} from '../../../../domain/agents/index.ts';
import { AppError, notFound } from '../../../../domain/core/app-error.ts';
import type { PersonaFields } from '../../../../domain/definitions/index.ts';
import type { OrgLimits } from '../../../../domain/orgs/index.ts';
import { allowedIds, isAgentHidden, permits, type Policy } from '../../../../domain/permissions/index.ts';
import { retryWhileDatabaseUnavailable } from '../../../core/retry-while-database-unavailable.ts';
import type { MadeAgent, ToolAgent, UserAgents } from '../../context.ts';
import { inToolTerms } from '../in-tool-terms.ts';
import { auditCall } from './audit-call.ts';

/** Who a call works for. */
interface AgentScope {
  readonly orgId: string;
  readonly userId: string;
  /** The agent that makes the call. */
  readonly agentId: string;
  /** The rights of the user now; null when they are no longer a member. */
  readonly policy: Policy | null;
  readonly callId: string;
}

interface AgentDeps {
  readonly database: Database;
  readonly definitions: Definitions;
  readonly orgLimits: OrgLimits;
}

/** What an agent has that a tool does not say. */
const DEFAULTS = {
  soul: {},
  requiresApproval: {},
  mcps: [],
  knowledgeBaseIds: null,
  modelPref: null,
  temperature: 0.3,
  maxTokens: 8192,
  maxSubagents: 5,
  maxConcurrency: 2,
  isActive: true,
};

/** Returns the agents that a user may make and change for a tool, until the signal aborts. */
export function userAgents(deps: AgentDeps, scope: AgentScope, signal: AbortSignal): UserAgents {
  const { database, definitions, orgLimits: limits } = deps;
  const { orgId } = scope;
  const run = async <T>(work: (policy: Policy) => Promise<T>) =>
    inToolTerms(() => retryWhileDatabaseUnavailable(signal, async () => work(memberPolicy(scope))));
  const within = async <T>(work: (em: EntityManager) => Promise<T>) => withOrgTransaction(database, orgId, work);
  const audit = async (action: string, recordId: string, fields: object) =>
    auditCall(database, scope, { action, recordType: 'agents', recordId, fields: Object.keys(fields) });
  return {
    create: async (id, agent) =>
      run(async (policy) => {
        requireMayAdd(policy);
        requireAllowed(policy, agent);
        const persona = await personaOf(deps, orgId, agent.personaId);
        const { tools = persona?.defaultTools, skills = persona?.defaultSkills } = agent;
        const known = await knownAmong(definitions, orgId, { tools, skills, isToolKey });
        requireKnown(agent, {}, known);
        requireMayGive(policy, agent);
        const { leftOut, ...keys } = keysOfNewAgent(policy, agent, persona, known);
        const fields = { ...DEFAULTS, ...agent, ...keys };
        const created = await within(async (em) => addAgentOnce(em, { orgId, id, limits }, fields));
        await audit('agents.create', id, agent);
        return made(
          created,
          [...(leftOut?.tools ?? []), ...(leftOut?.skills ?? [])].map(({ key }) => key),
        );
      }),
    update: async (id, changes) =>
      run(async (policy) => {
        if (isAgentHidden(policy, id)) throw notFound('Agent');
        requireAllowed(policy, changes);
        const known = await knownAmong(definitions, orgId, { ...changes, isToolKey });
        const changed = await within(async (em) => {
          // Two changes at once are each compared with what the other has stored.
          const agent = await lockAgent(em, id);
          if (changes.personaId !== agent.personaId) await personaOf(deps, orgId, changes.personaId);
          requireKnown(changes, agent, known);
          requireMayGive(policy, changes, agent);
          checkMayTell(policy, agent, changes);
          return updateAgent(em, agent, givenOf(changes));
        });
        await audit('agents.update', id, changes);
        return made(changed, []);
      }),
  };
}

function memberPolicy({ policy }: AgentScope): Policy {
  if (policy !== null) return policy;
  throw new AppError('forbidden', 'The user whom you work for is no member of the organization any more');
}

// As at the door of the api: whoever may use certain agents only could not use a new one.
function requireMayAdd(policy: Policy): void {
  if (allowedIds(policy, 'agentIds') === undefined) return;
  throw new AppError('forbidden', 'Your permission groups allow certain agents only, so you cannot add others');
}

function requireAllowed(policy: Policy, { personaId, providerChainId }: Partial<ToolAgent>): void {
  if (typeof personaId === 'string' && !permits(policy, 'personaIds', personaId)) throw notFound('Persona');
  if (typeof providerChainId === 'string' && !permits(policy, 'chainIds', providerChainId))
    throw notFound('Provider chain');
}

async function personaOf(
  { definitions }: AgentDeps,
  orgId: string,
  personaId: string | null | undefined,
): Promise<PersonaFields | null> {
  if (typeof personaId !== 'string') return null;
  const found = await definitions.findPersona(orgId, personaId);
  if (found?.persona == null) throw notFound('Persona');
  return found.persona;
}

function requireKnown(wanted: AgentKeyChanges, present: AgentKeyChanges, known: KnownKeys): void {
  const [unknown] = findUnknownKeys(wanted, present, known);
  if (unknown !== undefined) throw new AppError('unprocessable', wordsOfUnknown(unknown));
}

function givenOf(changes: Partial<ToolAgent>): Parameters<typeof updateAgent>[2] {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

function made({ id, name, tools, skills, isActive }: Agent, leftOut: readonly string[]): MadeAgent {
  return { id, name, tools, skills, isActive, leftOut };
}
