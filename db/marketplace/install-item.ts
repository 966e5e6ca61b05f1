import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/core/app-error.ts';
import type { DefinitionContent } from '../../domain/definitions/index.ts';
import { BUILTIN_SOURCE, type ItemDefinition, type MarketplaceItem } from '../../domain/marketplace/index.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';
import type { Policy } from '../../domain/permissions/index.ts';
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

/** A definition of the organization that an item takes the place of. */
export interface ReplacedDefinition {
  readonly ownerId: string | null;
  readonly content: DefinitionContent;
}

/** How an item is installed. */
export interface InstallOptions {
  readonly orgId: string;
  /** Who installs it, to whom new definitions belong. */
  readonly userId: string;
  readonly policy: Policy;
  readonly limits: OrgLimits;
  readonly edited: EditedChoice;
  /** Whether it may take the place of the item of its slug that came from elsewhere. */
  readonly changeSource: boolean;
  /** Returns the id of the persona that ships with the service under a key. */
  shippedPersonaId(key: string): string | undefined;
  /** Rejects what the caller may not bring in place of the organization's own; `null` where it has none of the key. */
  checkReplacement(former: ReplacedDefinition | null, wanted: ItemDefinition): Promise<void>;
}

/**
 * Installs an item in the organization, or upgrades what was installed of it. Records that are as they were installed
 * are replaced. Throws `ItemWasEdited` for others unless the caller has chosen; a record that was not installed from
 * the item is never replaced. Installing the same version again changes nothing but what is to be replaced.
 */
export async function installItem(
  em: EntityManager,
  item: MarketplaceItem,
  options: InstallOptions,
): Promise<InstalledRecord[]> {
  const installed = await lockInstall(em, options.orgId, item.slug);
  checkSource(item, installed?.source, options);
  const edited = new EditedRecords();
  const records: InstalledRecord[] = [];
  const take = (result: InstalledRecord | EditedRecord) => {
    if ('outcome' in result) records.push(result);
    else edited.add(result);
  };
  for (const definition of item.definitions) take(await installDefinition(em, item.slug, definition, options));
  const personas = new Map(records.filter(({ kind }) => kind === 'persona').map(({ key, id }) => [key, id]));
  for (const agent of item.agents) {
    const personaId =
      agent.persona === null ? null : (personas.get(agent.persona) ?? options.shippedPersonaId(agent.persona));
    take(await installAgent(em, item, { agent, personaId: personaId ?? null }, options));
  }
  if (edited.all.length > 0) throw new ItemWasEdited(edited.all);
  const before = new Set(installed?.kept.map(({ id }) => id));
  const kept = records.filter(({ id, outcome, isAsItem }) => outcome === 'kept' || (before.has(id) && !isAsItem));
  await noteInstall(em, options.orgId, { ...item, kept });
  return records;
}

// Another index may call an item of its own by the same slug.
function checkSource(
  { slug, source }: MarketplaceItem,
  installed: string | undefined,
  { changeSource }: InstallOptions,
): void {
  if (installed === undefined || installed === source || changeSource) return;
  const named = (each: string) => (each === BUILTIN_SOURCE ? 'the items that ship with the service' : each);
  throw new AppError(
    'conflict',
    `"${slug}" was installed from ${named(installed)}, and this one is from ${named(source)}: they may have nothing in common but the name. Install with change_source=true if this one is to take its place.`,
  );
}
