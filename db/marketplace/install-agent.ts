import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { inKeyOrder } from '../../domain/core/objects/in-key-order.ts';
import type { ItemAgent, MarketplaceItem } from '../../domain/marketplace/index.ts';
import { addAgent, type Agent, changeAgent, findInstalledAgent, noteItem } from '../agents/index.ts';
import { decide } from './decide.ts';
import type { EditedRecord } from './edited-record.ts';
import type { Installation, InstalledRecord } from './install-item.ts';

interface WantedAgent {
  readonly agent: ItemAgent;
  readonly personaId: string | null;
}

/** Installs an agent of an item, or says why it cannot be without losing something. */
export async function installAgent(
  em: EntityManager,
  { slug, version }: MarketplaceItem,
  { agent, personaId }: WantedAgent,
  { deps, actor, edited }: Installation,
): Promise<InstalledRecord | EditedRecord> {
  const { key, name } = agent;
  const { key: _key, persona: _persona, ...rest } = agent;
  const fields = { ...rest, soul: { ...rest.soul }, tools: [...rest.tools], skills: [...rest.skills], personaId };
  const wanted = digestOfAgent({ ...fields });
  const origin = { slug, itemKey: key, version, installedDigest: wanted };
  const known = await findInstalledAgent(em, origin);
  if (known === null) {
    const created = await addAgent(em, { ...actor, limits: deps.orgLimits }, fields);
    noteItem(created, origin);
    await em.flush();
    return { kind: 'agent', id: created.id, key, name, outcome: 'created', isAsItem: true };
  }
  const result = { kind: 'agent', id: known.id, key, name } as const;
  const decision = decide({ installed: known.installedDigest, present: digestOfAgent(known), wanted }, edited);
  if (decision === 'refused') {
    const states = { current: { agent: toItemAgent(known, agent) }, wanted: { agent } };
    return { kind: 'agent', key, states, isForeign: false };
  }
  if (decision === 'updated') await changeAgent(em, actor.policy, known, fields);
  // One that is kept is not asked about again until there is a newer one.
  if (decision === 'kept') noteItem(known, { ...origin, version: known.version ?? version });
  if (decision === 'updated' || decision === 'equal') noteItem(known, origin);
  await em.flush();
  const isAsItem = decision === 'equal' || decision === 'updated';
  return { ...result, outcome: decision === 'equal' ? 'unchanged' : decision, isAsItem };
}

type Fields = Omit<ItemAgent, 'key' | 'persona'> & { readonly personaId: string | null };

/** Returns a digest of the fields that an item sets; what else an agent has is its owner's. */
function digestOfAgent(agent: Fields): string {
  const { name, description, agentType, systemPrompt, soul, tools, skills, personaId } = agent;
  const { temperature, maxTokens, maxSubagents, maxConcurrency } = agent;
  const texts = [name, description, agentType, systemPrompt, inKeyOrder(soul), tools, skills, personaId];
  const content = [...texts, temperature, maxTokens, maxSubagents, maxConcurrency];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** Returns an agent as its item would hold it; the key of the persona is that of the item's. */
export function toItemAgent(agent: Agent, { key, persona }: ItemAgent): ItemAgent {
  const { name, description, agentType, systemPrompt, soul, tools, skills } = agent;
  const { temperature, maxTokens, maxSubagents, maxConcurrency } = agent;
  const texts = { key, persona, name, description, agentType, systemPrompt, soul, tools, skills };
  return { ...texts, temperature, maxTokens, maxSubagents, maxConcurrency };
}
