import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { inKeyOrder } from '../../domain/core/objects/in-key-order.ts';
import type { ItemAgent, MarketplaceItem } from '../../domain/marketplace/index.ts';
import {
  addAgent,
  type Agent,
  type AgentFields,
  changeAgent,
  findInstalledAgent,
  noteItem,
  requireMayChangeAgent,
} from '../agents/index.ts';
import { decide, isNoted } from './decide.ts';
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
  const isKept = decision === 'kept';
  if (await isNoted(decision, async () => requireMayChangeAgent(actor.policy, known, fields)))
    noteItem(known, isKept ? { ...origin, version: known.version ?? version } : origin);
  await em.flush();
  const isAsItem = decision === 'equal' || decision === 'updated';
  return { ...result, outcome: decision === 'equal' ? 'unchanged' : decision, isAsItem };
}

/** The fields of an agent that an item sets; what else an agent has is its owner's. */
const FIELDS = [
  'name',
  'description',
  'agentType',
  'systemPrompt',
  'soul',
  'tools',
  'skills',
  'personaId',
  'temperature',
  'maxTokens',
  'maxSubagents',
  'maxConcurrency',
] as const satisfies readonly (keyof AgentFields)[];

type Fields = Readonly<Pick<AgentFields, (typeof FIELDS)[number]>>;

function digestOfAgent(agent: Fields): string {
  const content = FIELDS.map((field) => (field === 'soul' ? inKeyOrder(agent.soul) : agent[field]));
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** Returns an agent as its item would hold it; the key of the persona is that of the item's. */
export function toItemAgent(agent: Agent, { key, persona }: ItemAgent): ItemAgent {
  const { personaId: _personaId, ...fields } = Object.fromEntries(FIELDS.map((field) => [field, agent[field]])) as {
    [F in keyof Fields]: Fields[F];
  };
  return { ...fields, key, persona };
}
