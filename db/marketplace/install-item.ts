import type { EntityManager } from '@mikro-orm/postgresql';
import type { DefinitionContent } from '../../domain/definitions/index.ts';
import type { ItemAgent, ItemDefinition, MarketplaceItem } from '../../domain/marketplace/index.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';
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
}

/** A record that cannot become what the item holds without losing what somebody has made of it. */
export interface EditedRecord {
  readonly key: string;
  readonly current: { readonly agent: ItemAgent } | { readonly definition: DefinitionContent };
  readonly wanted: { readonly agent: ItemAgent } | { readonly definition: DefinitionContent };
  readonly kind: InstalledRecord['kind'];
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

/** What becomes of records that were edited: nothing is installed, they stay, or they are replaced. */
export type EditedChoice = 'refuse' | 'keep' | 'replace';

/** How an item is installed. */
export interface InstallOptions {
  readonly orgId: string;
  readonly limits: OrgLimits;
  readonly edited: EditedChoice;
  /** Returns the id of the persona that ships with the service under a key. */
  shippedPersonaId(key: string): string | undefined;
}

/**
 * Installs an item in the organization, or upgrades what was installed of it. Records that are as they were installed are
 * replaced. Throws `ItemWasEdited` for others unless the caller has chosen; a record that was not installed from the item
 * is never replaced. Installing the same version again changes nothing.
 */
export async function installItem(
  em: EntityManager,
  item: MarketplaceItem,
  options: InstallOptions,
): Promise<InstalledRecord[]> {
  await lockInstall(em, options.orgId, item.slug);
  const edited: EditedRecord[] = [];
  const records: InstalledRecord[] = [];
  const take = (result: InstalledRecord | EditedRecord) => {
    if ('outcome' in result) records.push(result);
    else edited.push(result);
  };
  for (const definition of item.definitions) take(await installDefinition(em, item.slug, definition, options));
  const personas = new Map(records.filter(({ kind }) => kind === 'persona').map(({ key, id }) => [key, id]));
  for (const agent of item.agents) {
    const personaId =
      agent.persona === null ? null : (personas.get(agent.persona) ?? options.shippedPersonaId(agent.persona));
    take(await installAgent(em, item, { agent, personaId: personaId ?? null }, options));
  }
  if (edited.length > 0) throw new ItemWasEdited(edited);
  await noteInstall(em, options.orgId, item);
  return records;
}
