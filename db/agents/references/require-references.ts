import type { EntityManager } from '@mikro-orm/postgresql';
import { idOfServer } from '../../../domain/agents.ts';
import { notFound, rejectFaults } from '../../../domain/core/app-error.ts';
import type { PersonaFields } from '../../../domain/definitions/index.ts';
import { profileNameOf } from '../../../domain/model-profiles.ts';
import { type Policy, policyAllows, requireAllowed } from '../../../domain/permissions/index.ts';
import type { Definitions } from '../../definitions/index.ts';
import { requireMcpServers } from '../../mcp-servers/index.ts';
import { hasModelProfile } from '../../model-profiles/index.ts';
import { requireProviderChain } from '../../provider-chains/index.ts';
import { uuidArray } from '../../records/index.ts';
import type { AgentFields } from '../agents.ts';

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
