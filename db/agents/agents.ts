import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { findLive, restoreDeleted } from '../core/find-record.ts';
import { requireProviderChain } from '../provider-chains/index.ts';
import { Agent } from './agent.entity.ts';

/** The fields of an agent that its owner sets. */
export type AgentFields = Pick<
  Agent,
  | 'name'
  | 'description'
  | 'agentType'
  | 'systemPrompt'
  | 'soul'
  | 'tools'
  | 'skills'
  | 'mcps'
  | 'modelPref'
  | 'temperature'
  | 'maxTokens'
  | 'maxSubagents'
  | 'maxConcurrency'
  | 'isActive'
  | 'providerChainId'
>;

/** The organization's agents, or those of them with the given ids, oldest first, deleted ones left out. */
export async function listAgents(
  em: EntityManager,
  page: { limit?: number | undefined; offset?: number | undefined; onlyIds?: readonly string[] | undefined },
): Promise<[Agent[], number]> {
  const wanted = { deletedAt: null, ...(page.onlyIds !== undefined && { id: { $in: [...page.onlyIds] } }) };
  const options = { orderBy: { id: 'asc' as const }, offset: page.offset ?? 0 };
  if (page.limit === undefined && page.offset === undefined) {
    const agents = await em.find(Agent, wanted, options);
    return [agents, agents.length];
  }
  return em.findAndCount(Agent, wanted, page.limit === undefined ? options : { ...options, limit: page.limit });
}

/** The agent; `not_found` when there is none. */
export async function getAgent(em: EntityManager, id: string): Promise<Agent> {
  return findLive(em, Agent, 'Agent', id);
}

/** Adds an agent to the organization; `not_found` when it refers to a chain that does not exist. */
export async function createAgent(em: EntityManager, orgId: string, fields: AgentFields): Promise<Agent> {
  await checkChain(em, fields);
  return em.create(Agent, { ...fields, orgId, deletedAt: null } as RequiredEntityData<Agent>, { persist: true });
}

/** Changes the given fields only; `not_found` also when they refer to a chain that does not exist. */
export async function updateAgent(em: EntityManager, id: string, changes: Partial<AgentFields>): Promise<Agent> {
  const agent = await getAgent(em, id);
  await checkChain(em, changes);
  return em.assign(agent, changes, { mergeObjectProperties: false });
}

/** Deletes an agent softly. */
export async function deleteAgent(em: EntityManager, id: string): Promise<void> {
  const agent = await getAgent(em, id);
  agent.deletedAt = new Date();
}

/** Takes the deletion of an agent back. */
export async function restoreAgent(em: EntityManager, id: string): Promise<Agent> {
  return restoreDeleted(em, Agent, 'Agent', id);
}

async function checkChain(em: EntityManager, { providerChainId }: Partial<AgentFields>): Promise<void> {
  if (typeof providerChainId === 'string') await requireProviderChain(em, providerChainId);
}
