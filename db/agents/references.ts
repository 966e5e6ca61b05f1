import type { EntityManager } from '@mikro-orm/postgresql';
import { idOfServer } from '../../domain/agents.ts';
import { notFound, rejectFaults } from '../../domain/core/app-error.ts';
import type { PersonaFields } from '../../domain/definitions/definition.ts';
import { profileNameOf } from '../../domain/model-profiles.ts';
import { type Policy, policyAllows } from '../../domain/permissions/policy.ts';
import { requireAllowed } from '../../domain/permissions/restrict.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { requireMcpServers } from '../mcp-servers/mcp-servers.ts';
import { hasModelProfile } from '../model-profiles.ts';
import { requireProviderChain } from '../provider-chains.ts';
import { MAX_NAMED_USERS, type NamedUsers, uuidArray } from '../records/records.ts';
import type { AgentFields } from './agents.ts';
import type { Database, TenantDatabase } from '../core/database.ts';

// An agent names a profile by its name, in whatever letters.
const NAMES_PROFILE = `org_id = ? and model_pref like 'profile:%' and lower(trim(substr(model_pref, 9))) = lower(?)`;

interface ProfileName {
  readonly orgId: string;
  readonly name: string;
}

/** Returns which agents name a model profile, deleted ones apart; of those that may be shown, some names. */
export async function findAgentsOfProfile(
  em: EntityManager,
  { orgId, name }: ProfileName,
  onlyIds: readonly string[] | undefined,
): Promise<NamedUsers> {
  const shown = onlyIds === undefined ? null : uuidArray(onlyIds);
  const [users] = await em.execute<NamedUsers[]>(
    `select count(*)::int as total, to_jsonb((
        array_agg(name order by id) filter (where ?::uuid[] is null or id = any(?::uuid[]))
      )[1:${MAX_NAMED_USERS}]) as names
      from agents where ${NAMES_PROFILE} and deleted_at is null`,
    [shown, shown, orgId, name],
  );
  return { total: users?.total ?? 0, names: users?.names ?? [] };
}

/** Updates the name of a model profile in all agents that name it, deleted ones too. */
export async function renameProfileOfAgents(
  em: EntityManager,
  { orgId, name, newName }: ProfileName & { readonly newName: string },
): Promise<void> {
  await em.execute(`update agents set model_pref = 'profile:' || ?, updated_at = now() where ${NAMES_PROFILE}`, [
    newName,
    orgId,
    name,
  ]);
}

/**
 * A server that an agent names and that is gone, or that has some of the tools no more that were chosen for the agent.
 */
interface BrokenServer {
  readonly id: string;
  readonly isGone: boolean;
  readonly goneTools: readonly string[];
}

/** References of an agent to records that do not exist, apart from definitions. */
export interface BrokenReferences {
  readonly servers: readonly BrokenServer[];
  /** Whether it names a model profile that is gone, or that names neither a provider nor a chain any more. */
  readonly isProfileGone: boolean;
}

// Which tools a server has is known once they have been fetched. A chain that was deleted leaves no reference behind.
const STATEMENT = `
select
  a.model_pref like 'profile:%' and not exists (
    select from model_profiles f where f.org_id = a.org_id and lower(f.name) = lower(trim(substr(a.model_pref, 9)))
      and (f.provider_type is not null or f.provider_chain_id is not null)
  ) as "isProfileGone",
  coalesce((
    select jsonb_agg(jsonb_build_object('id', n.id, 'isGone', s.id is null, 'goneTools', gone.names) order by n.position)
    from jsonb_array_elements(a.mcps) with ordinality i (item, position)
      cross join lateral (select (i.item ->> 'id')::uuid as id, i.position) n
      left join mcp_servers s on s.org_id = a.org_id and s.id = n.id
      cross join lateral (
        select case when jsonb_typeof(i.item -> 'tools') = 'array' and s.tools_fetched_at is not null
          then i.item -> 'tools' else '[]' end as names
      ) chosen
      cross join lateral (
        select coalesce(jsonb_agg(one.wanted), '[]') as names from jsonb_array_elements_text(chosen.names) as one (wanted)
        where not one.wanted = any (array(select there.tool ->> 'name' from jsonb_array_elements(s.tools) as there (tool)))
      ) gone
    where n.id is not null and (s.id is null or gone.names <> '[]')
  ), '[]') as servers
from agents a where a.org_id = $1 and a.id = $2`;

/** Finds out which model profile and MCP servers an agent names in vain. */
export async function findBrokenReferences(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, agentId }: { readonly orgId: string; readonly agentId: string },
): Promise<BrokenReferences> {
  const [found] = await tenant.query<{ isProfileGone: boolean | null; servers: readonly BrokenServer[] }>(orgId, {
    name: 'find-broken-references',
    text: STATEMENT,
    values: [orgId, agentId],
  });
  return { servers: found?.servers ?? [], isProfileGone: found?.isProfileGone ?? false };
}

/** Returns the ids of the knowledge bases that were chosen for an agent; `null` when none were, and it may use all. */
export async function findChosenKnowledge(
  { tenant }: TenantDatabase,
  { orgId, agentId }: { readonly orgId: string; readonly agentId: string },
): Promise<readonly string[] | null> {
  const [agent] = await tenant.query<{ ids: readonly string[] | null }>(orgId, {
    name: 'find-chosen-knowledge',
    text: 'select knowledge_base_ids as ids from agents where id = $1',
    values: [agentId],
  });
  return agent === undefined ? [] : agent.ids;
}

/** Removes a deleted knowledge base from all agents for which it was chosen; they do not get others instead. */
export async function forgetKnowledgeBase(em: EntityManager, orgId: string, id: string): Promise<void> {
  await em.execute(
    `update agents set knowledge_base_ids = knowledge_base_ids - ?::text
      where org_id = ? and knowledge_base_ids @> to_jsonb(?::text)`,
    [id, orgId, id],
  );
}

type References = Pick<AgentFields, 'personaId' | 'providerChainId' | 'mcps' | 'knowledgeBaseIds' | 'modelPref'>;

/** Returns the persona with this id, of the organization or a builtin one; `not_found` when there is none. */
export async function requirePersona(
  { definitions }: { readonly definitions: Definitions },
  { orgId, policy }: { readonly orgId: string; readonly policy: Policy },
  personaId: string | null | undefined,
): Promise<PersonaFields | null> {
  if (typeof personaId !== 'string') return null;
  requireAllowed(policy, 'personas', personaId);
  const found = await definitions.findPersona(orgId, personaId);
  if (found === undefined) throw notFound('Persona');
  return found.persona;
}

/**
 * Checks that the caller may use what an agent is to refer to, and that it exists, its persona apart. Servers and
 * knowledge bases that it refers to already can stay, though they are gone.
 */
export async function requireReferences(
  em: EntityManager,
  policy: Policy,
  wanted: Partial<References>,
  present: Pick<References, 'mcps' | 'knowledgeBaseIds' | 'modelPref' | 'personaId'>,
): Promise<void> {
  const { personaId, providerChainId, mcps = [], knowledgeBaseIds, modelPref = present.modelPref } = wanted;
  if (typeof personaId === 'string' && personaId !== present.personaId) requireAllowed(policy, 'personas', personaId);
  if (typeof providerChainId === 'string') {
    requireAllowed(policy, 'provider_chains', providerChainId);
    await requireProviderChain(em, providerChainId);
  }
  const presentServers = new Set(present.mcps.map(idOfServer));
  const servers = mcps.flatMap((server) => idOfServer(server) ?? []).filter((id) => !presentServers.has(id));
  if (servers.length > 0 && !policyAllows(policy, 'mcp_servers.view')) throw notFound('MCP server');
  await requireMcpServers(em, servers);
  const bases = (knowledgeBaseIds ?? []).filter((id) => present.knowledgeBaseIds?.includes(id) !== true);
  await requireKnowledgeBases(em, policy, bases);
  if (modelPref !== present.modelPref) await requireProfile(em, modelPref);
}

async function requireKnowledgeBases(em: EntityManager, policy: Policy, ids: readonly string[]): Promise<void> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return;
  if (!policyAllows(policy, 'knowledge_bases.view')) throw notFound('Knowledge base');
  const found = await em.execute<object[]>('select from knowledge_bases where id = any(?::uuid[]) for key share', [
    uuidArray(wanted),
  ]);
  if (found.length < wanted.length) throw notFound('Knowledge base');
}

// Turns of an agent that names a profile which does not exist would fail.
async function requireProfile(em: EntityManager, modelPref: string | null): Promise<void> {
  const name = profileNameOf(modelPref);
  if (name === undefined || (await hasModelProfile(em, name))) return;
  rejectFaults([{ path: ['modelPref'], message: `There is no model profile "${name}"` }]);
}
