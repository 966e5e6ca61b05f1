import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import type { Listed, Page } from '../core/page.ts';
import { findLive, lockRecord, readRecords, uuidArray } from '../records/records.ts';
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
  | 'requiresApproval'
  | 'mcps'
  | 'knowledgeBaseIds'
  | 'modelPref'
  | 'temperature'
  | 'maxTokens'
  | 'maxSubagents'
  | 'maxConcurrency'
  | 'isActive'
  | 'isPublished'
  | 'providerChainId'
  | 'personaId'
>;

/** An agent that is added: fields that are not given get their defaults. */
export type NewAgent = Pick<AgentFields, 'name'> & Partial<AgentFields>;

/** The fields of a new agent that nobody sets. */
export const AGENT_DEFAULTS: Omit<AgentFields, 'name'> = {
  description: '',
  agentType: 'custom',
  systemPrompt: '',
  soul: {},
  tools: [],
  skills: [],
  requiresApproval: {},
  mcps: [],
  knowledgeBaseIds: null,
  modelPref: null,
  temperature: 0.3,
  maxTokens: 8192,
  maxSubagents: 5,
  maxConcurrency: 2,
  isActive: true,
  isPublished: false,
  providerChainId: null,
  personaId: null,
};

const LIST_ITEM = [
  'id',
  'name',
  'description',
  'agentType',
  'isActive',
  'isPublished',
  'tools',
  'skills',
  'createdAt',
  'updatedAt',
  'deletedAt',
  'deletedBy',
] as const satisfies (keyof Agent)[];

/** The fields of an agent in lists. */
export type AgentListItem = Pick<Agent, (typeof LIST_ITEM)[number]>;

/** The filters of a list of agents: words in name or description, and ids of what they use. */
interface AgentFilters {
  readonly q?: string | undefined;
  readonly chainId?: string | undefined;
  readonly serverId?: string | undefined;
  readonly knowledgeBaseId?: string | undefined;
  readonly profileId?: string | undefined;
}

// An organization has so few agents that scanning them all is cheap.
const WANTED = `($2::uuid[] is null or id = any($2)) and (deleted_at is not null) = $3
  and ($4::text is null or strpos(lower(name || ' ' || description), lower($4)) > 0)
  and ($5::uuid is null or provider_chain_id = $5)
  and ($6::text is null or exists (select from jsonb_array_elements(mcps) m (item)
    where m.item ->> 'id' = $6))
  and ($7::text is null or knowledge_base_ids @> to_jsonb($7::text))
  and ($8::uuid is null or model_pref like 'profile:%' and lower(trim(substr(model_pref, 9))) = (
    select lower(p.name) from model_profiles p where p.org_id = $1 and p.id = $8))`;

/** Returns the organization's agents, or the deleted ones, or those with the given ids, as far as they are wanted. */
export async function listAgents(
  database: Database,
  orgId: string,
  wanted: Page & AgentFilters & { readonly onlyIds: readonly string[] | undefined; readonly deleted: boolean },
): Promise<Listed<AgentListItem>> {
  const { onlyIds, deleted, q, chainId, serverId, knowledgeBaseId, profileId, ...page } = wanted;
  const given = [onlyIds, deleted, q, chainId, serverId, knowledgeBaseId, profileId];
  const values = given.map((value) => value ?? null);
  return readRecords(database, orgId, Agent, { name: 'list-agents', only: LIST_ITEM, where: WANTED, values, page });
}

/** Returns the agent; `not_found` when there is none. */
export async function getAgent(em: EntityManager, id: string): Promise<Agent> {
  return findLive(em, Agent, 'Agent', id);
}

/** Returns the agent, locked until the transaction has ended; `not_found` when there is none. */
export async function lockAgent(em: EntityManager, id: string): Promise<Agent> {
  return lockRecord(em, Agent, 'Agent', { id, deletedAt: null });
}

/** Throws `not_found` unless the organization has the agent. */
export async function requireAgent(em: EntityManager, id: string): Promise<void> {
  await requireAgents(em, [id]);
}

/** Throws `not_found` unless the organization has all these agents, of which some may be named more than once. */
export async function requireAgents(em: EntityManager, ids: readonly string[]): Promise<void> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return;
  const found = await em.execute<object[]>(
    'select from agents where id = any(?::uuid[]) and deleted_at is null for key share',
    [uuidArray(wanted)],
  );
  if (found.length < wanted.length) throw notFound('Agent');
}

/** Where an agent was installed from. */
export type AgentItem = Pick<Agent, 'slug' | 'itemKey' | 'version' | 'installedDigest'>;

/** Returns the live agent that was installed under a name from an item, locked until the transaction has ended. */
export async function findInstalledAgent(
  em: EntityManager,
  { slug, itemKey }: Pick<AgentItem, 'slug' | 'itemKey'>,
): Promise<Agent | null> {
  return em.findOne(Agent, { slug, itemKey, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Records where an agent was installed from. */
export function noteItem(agent: Agent, item: AgentItem): void {
  Object.assign(agent, item);
}
