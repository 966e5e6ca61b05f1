import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DefinitionFault } from '../../definition-files/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { inKeyOrder } from '../../domain/core/objects.ts';
import type { DefinitionContent } from '../../domain/definitions/definition.ts';
import { BUILTIN_SOURCE, type ItemAgent, type ItemDefinition, type MarketplaceItem } from '../../domain/marketplace.ts';
import { addAgent, changeAgent, requireMayChangeAgent } from '../agents/change-agents.ts';
import { Agent } from '../agents/agent.entity.ts';
import { type AgentFields, findInstalledAgent, noteItem } from '../agents/agents.ts';
import { withOrgTransaction } from '../core/transactions.ts';
import {
  addDefinition,
  checkContent,
  replaceDefinition,
  requireMayReplace,
} from '../definition-changes/change-definitions.ts';
import type { DefinitionActor, DefinitionDeps } from '../definition-changes/rights.ts';
import { DefinitionRecord } from '../definitions/definition.entity.ts';
import { digestOf, findDefinition, keepInstalled } from '../definitions/records.ts';
import { lockInstall, noteInstall } from './installs.ts';

/** The outcome for a record: an edited one is kept when its editor wants that. */
type Outcome = 'created' | 'updated' | 'unchanged' | 'kept';

/** A record that an item has brought. */
interface InstalledRecord {
  readonly kind: 'agent' | ItemDefinition['kind'];
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly outcome: Outcome;
  /** Whether its content is that of the item now. */
  readonly isAsItem: boolean;
}

/** What to do with edited records: refuse the installation, keep them, or replace them. */
type EditedChoice = 'refuse' | 'keep' | 'replace';

/** The dependencies of an installation. */
interface InstallDeps extends DefinitionDeps {
  /** Returns the id of the persona that ships with the service under a key. */
  shippedPersonaId(key: string): string | undefined;
}

/** How an item is installed. */
interface InstallChoices {
  readonly edited: EditedChoice;
  /** Whether it may replace the item of its slug that came from elsewhere. */
  readonly changeSource: boolean;
}

/** An installation under way: who installs the item, to whom new definitions belong, and how. */
interface Installation extends Pick<InstallChoices, 'edited'> {
  readonly deps: DefinitionDeps;
  readonly actor: DefinitionActor;
}

/**
 * Installs an item in the organization, or upgrades what was installed of it. Records that are as they were installed
 * are replaced. Throws `ItemWasEdited` for others unless the caller has chosen; a record that was not installed from
 * the item is never replaced. Installing the same version again changes nothing but what is to be replaced.
 */
export async function installItem(
  deps: InstallDeps,
  actor: DefinitionActor,
  item: MarketplaceItem,
  choices: InstallChoices,
): Promise<InstalledRecord[]> {
  await checkRuns(deps, actor, item);
  return withOrgTransaction(deps.database, actor.orgId, (em) => install(em, deps, actor, item, choices));
}

async function checkRuns(
  deps: DefinitionDeps,
  actor: DefinitionActor,
  { definitions }: MarketplaceItem,
): Promise<void> {
  try {
    for (const { kind, content } of definitions) await checkContent(deps, actor, kind, content);
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error;
    throw new AppError('unprocessable', `The item cannot be installed: ${error.message}`, { cause: error });
  }
}

async function install(
  em: EntityManager,
  deps: InstallDeps,
  actor: DefinitionActor,
  item: MarketplaceItem,
  { edited: choice, changeSource }: InstallChoices,
): Promise<InstalledRecord[]> {
  const installation = { deps, actor, edited: choice };
  const installed = await lockInstall(em, actor.orgId, item.slug);
  if (!changeSource) checkSource(item, installed?.source);
  const edited = new EditedRecords();
  const records: InstalledRecord[] = [];
  const take = (result: InstalledRecord | EditedRecord) => {
    if ('outcome' in result) records.push(result);
    else edited.add(result);
  };
  for (const definition of item.definitions) take(await installDefinition(em, item.slug, definition, installation));
  const personas = new Map(records.filter(({ kind }) => kind === 'persona').map(({ key, id }) => [key, id]));
  for (const agent of item.agents) {
    const personaId =
      agent.persona === null ? null : (personas.get(agent.persona) ?? deps.shippedPersonaId(agent.persona));
    take(await installAgent(em, item, { agent, personaId: personaId ?? null }, installation));
  }
  if (edited.all.length > 0) throw new ItemWasEdited(edited.all);
  const before = new Set(installed?.kept.map(({ id }) => id));
  const kept = records.filter(({ id, outcome, isAsItem }) => outcome === 'kept' || (before.has(id) && !isAsItem));
  await noteInstall(em, actor.orgId, { ...item, kept });
  return records;
}

// Another index may call an item of its own by the same slug.
function checkSource({ slug, source }: MarketplaceItem, installed: string | undefined): void {
  if (installed === undefined || installed === source) return;
  const named = (each: string) => (each === BUILTIN_SOURCE ? 'the items that ship with the service' : each);
  throw new AppError(
    'conflict',
    `"${slug}" was installed from ${named(installed)}, and this one is from ${named(source)}: they may have nothing in common but the name. Install with change_source=true if this one is to take its place.`,
  );
}

interface WantedAgent {
  readonly agent: ItemAgent;
  readonly personaId: string | null;
}

/** Installs an agent of an item, or says why it cannot be without losing something. */
async function installAgent(
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

/** Returns an agent in the form in which items contain them; the key of its persona is that in the item. */
function toItemAgent(agent: Agent, { key, persona }: ItemAgent): ItemAgent {
  const { personaId: _personaId, ...fields } = Object.fromEntries(FIELDS.map((field) => [field, agent[field]])) as {
    [F in keyof Fields]: Fields[F];
  };
  return { ...fields, key, persona };
}

/** Installs a tool, skill or persona of an item, or says why it cannot be without losing something. */
async function installDefinition(
  em: EntityManager,
  slug: string,
  definition: ItemDefinition,
  { deps, actor, edited }: Installation,
): Promise<InstalledRecord | EditedRecord> {
  const { kind, content } = definition;
  const { key, name } = content;
  const record = await findDefinition(em, { kind, key });
  if (record === null) {
    const { id } = await addDefinition(em, deps, actor, { kind, slug }, content);
    return { kind, id, key, name, outcome: 'created', isAsItem: true };
  }
  const result = { kind, id: record.id, key, name };
  const current = await contentOf(em, record);
  const isForeign = record.slug !== slug;
  const digests = { installed: record.installedDigest, present: digestOf(current), wanted: digestOf(content) };
  const forForeign = edited === 'keep' ? 'unchanged' : 'refused';
  const decision = isForeign ? forForeign : decide(digests, edited);
  if (decision === 'refused') {
    const states = { current: { definition: current }, wanted: { definition: content } };
    return { kind, key, states, isForeign };
  }
  if (isForeign) return { ...result, outcome: 'kept', isAsItem: false };
  if (decision === 'updated') await replaceDefinition(em, deps, actor, record, content);
  if (await isNoted(decision, async () => requireMayReplace(em, deps, actor, record, content)))
    keepInstalled(record, content);
  const isAsItem = decision === 'equal' || decision === 'updated';
  return { ...result, outcome: decision === 'equal' ? 'unchanged' : decision, isAsItem };
}

/** Returns the content of a record, with its files. */
async function contentOf(em: EntityManager, record: DefinitionRecord): Promise<DefinitionContent> {
  const files = await em.execute<{ path: string; content: string }[]>(
    'select path, content from definition_files where definition_id = ? order by path collate "C"',
    [record.id],
  );
  const { key, name, description, category, version, persona } = record;
  return {
    key,
    name,
    description,
    category,
    version,
    persona,
    files: new Map(files.map(({ path, content }) => [path, content])),
  };
}

/** A record of the organization that differs from its item. */
export interface ComparedRecord extends EditedRecord {
  readonly id: string;
}

/**
 * Returns the records of the organization that differ from an item, whether they were installed from it or have its
 * keys. Missing records are left out.
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

/** The content of a record. */
export type RecordState = { readonly agent: ItemAgent } | { readonly definition: DefinitionContent };

/** A record that cannot become the item's version without losing somebody's edits. */
export interface EditedRecord {
  readonly key: string;
  readonly kind: 'agent' | ItemDefinition['kind'];
  /** The record and the item's version of it; undefined when the comparison has reached its limit. */
  readonly states: { readonly current: RecordState; readonly wanted: RecordState } | undefined;
  /** Whether it was not installed from this item: another record has its key. */
  readonly isForeign: boolean;
}

/** Records of an item have been edited since it was installed, or their keys are taken. Nothing has been changed. */
export class ItemWasEdited extends Error {
  override readonly name = 'ItemWasEdited';
  readonly records: readonly EditedRecord[];

  constructor(records: readonly EditedRecord[]) {
    super('records of the item were edited');
    this.records = records;
  }
}

/** How many characters of edited records a comparison keeps. */
const MAX_COMPARED = 4_000_000;

/** Edited records of an item, of which as many keep their texts as the comparison may contain. */
class EditedRecords<T extends EditedRecord = EditedRecord> {
  readonly all: T[] = [];
  #size = 0;

  add(record: T): void {
    if (record.states !== undefined) this.#size += sizeOf(record.states.current) + sizeOf(record.states.wanted);
    this.all.push(this.#size > MAX_COMPARED ? { ...record, states: undefined } : record);
  }
}

function sizeOf(state: RecordState): number {
  if ('agent' in state) return state.agent.systemPrompt.length;
  const { files, persona } = state.definition;
  return [...files.values()].reduce((sum, text) => sum + text.length, persona?.systemPrompt.length ?? 0);
}

/** Digests of a record as it was installed, as it is, and as its item has it now. */
interface Digests {
  readonly installed: string | null;
  readonly present: string;
  readonly wanted: string;
}

/** Decides what becomes of a record that was installed from the item before; `refused` when only its editor can say. */
function decide({ installed, present, wanted }: Digests, edited: EditedChoice): Outcome | 'equal' | 'refused' {
  if (present === wanted) return 'equal';
  if (present === installed || edited === 'replace') return 'updated';
  // The item has not changed since it was installed, whatever has become of the record.
  if (installed === wanted) return 'unchanged';
  return edited === 'keep' ? 'kept' : 'refused';
}

/**
 * Returns whether a decision about a record is stored with it, so that nobody is asked again until there is a newer
 * version. Somebody who may not change a record does not keep others from being asked.
 */
async function isNoted(decision: ReturnType<typeof decide>, requireMayChange: () => Promise<void>): Promise<boolean> {
  if (decision !== 'kept') return decision !== 'unchanged';
  try {
    await requireMayChange();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') return false;
    throw error;
  }
}
