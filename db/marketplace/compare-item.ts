import type { EntityManager } from '@mikro-orm/postgresql';
import type { MarketplaceItem } from '../../domain/marketplace/index.ts';
import { Agent } from '../agents/index.ts';
import { DefinitionRecord, digestOf } from '../definitions/index.ts';
import { type EditedRecord, EditedRecords } from './edited-record.ts';
import { toItemAgent } from './install-agent.ts';
import { contentOf } from './install-definition.ts';

/** A record of the organization that is not as an item holds it. */
export interface ComparedRecord extends EditedRecord {
  readonly id: string;
}

/**
 * Returns the records of the organization that are not as an item holds them, whether they were installed from it or
 * have its keys. Records that there are not are left out.
 */
export async function compareItem(
  em: EntityManager,
  { slug, definitions, agents }: MarketplaceItem,
): Promise<ComparedRecord[]> {
  const edited = new EditedRecords<ComparedRecord>();
  for (const { kind, content } of definitions) {
    const record = await em.findOne(DefinitionRecord, { kind, key: content.key });
    if (record === null) continue;
    const current = await contentOf(em, record);
    if (digestOf(current) === digestOf(content)) continue;
    const states = { current: { definition: current }, wanted: { definition: content } };
    edited.add({ id: record.id, kind, key: content.key, states, isForeign: record.slug !== slug });
  }
  for (const agent of agents) {
    const { key } = agent;
    const record = await em.findOne(Agent, { slug, itemKey: key, deletedAt: null });
    if (record === null) continue;
    const states = { current: { agent: toItemAgent(record, agent) }, wanted: { agent } };
    edited.add({ id: record.id, kind: 'agent', key, states, isForeign: false });
  }
  return edited.all;
}
