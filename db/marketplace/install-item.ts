import type { EntityManager } from '@mikro-orm/postgresql';
import { DefinitionFault } from '../../definition-files/index.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { BUILTIN_SOURCE, type ItemDefinition, type MarketplaceItem } from '../../domain/marketplace/index.ts';
import { withOrgTransaction } from '../core/index.ts';
import { checkContent, type DefinitionActor, type DefinitionDeps } from '../definition-changes/index.ts';
import { type EditedRecord, EditedRecords, ItemWasEdited } from './edited-record.ts';
import { installAgent } from './install-agent.ts';
import { installDefinition } from './install-definition.ts';
import { lockInstall, noteInstall } from './installs.ts';

/** What happened to a record: one that was edited is kept when its editor wants that. */
export type Outcome = 'created' | 'updated' | 'unchanged' | 'kept';

/** A record that an item has brought. */
export interface InstalledRecord {
  readonly kind: 'agent' | ItemDefinition['kind'];
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly outcome: Outcome;
  /** Whether it holds what the item does now. */
  readonly isAsItem: boolean;
}

/** What becomes of records that were edited: nothing is installed, they stay, or they are replaced. */
export type EditedChoice = 'refuse' | 'keep' | 'replace';

/** The dependencies of an installation. */
interface InstallDeps extends DefinitionDeps {
  /** Returns the id of the persona that ships with the service under a key. */
  shippedPersonaId(key: string): string | undefined;
}

/** How an item is installed. */
interface InstallChoices {
  readonly edited: EditedChoice;
  /** Whether it may take the place of the item of its slug that came from elsewhere. */
  readonly changeSource: boolean;
}

/** An installation under way: who installs the item, to whom new definitions belong, and how. */
export interface Installation extends Pick<InstallChoices, 'edited'> {
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
