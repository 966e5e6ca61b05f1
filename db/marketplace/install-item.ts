import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/core/app-error.ts';
import type { DefinitionContent } from '../../domain/definitions/index.ts';
import {
  BUILTIN_SOURCE,
  type ItemAgent,
  type ItemDefinition,
  type MarketplaceItem,
} from '../../domain/marketplace/index.ts';
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

/** What a record holds. */
export type RecordState = { readonly agent: ItemAgent } | { readonly definition: DefinitionContent };

/** A record that cannot become what the item holds without losing what somebody has made of it. */
export interface EditedRecord {
  readonly key: string;
  readonly kind: InstalledRecord['kind'];
  /** As it is, and as the item holds it; undefined when those before it are as much as can be compared. */
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

/** The texts of edited records that are held for a comparison, in characters. */
const MAX_COMPARED = 4_000_000;

/** What becomes of records that were edited: nothing is installed, they stay, or they are replaced. */
export type EditedChoice = 'refuse' | 'keep' | 'replace';

/** How an item is installed. */
export interface InstallOptions {
  readonly orgId: string;
  readonly limits: OrgLimits;
  readonly edited: EditedChoice;
  /** Whether it may take the place of the item of its slug that came from elsewhere. */
  readonly changeSource: boolean;
  /** Returns the id of the persona that ships with the service under a key. */
  shippedPersonaId(key: string): string | undefined;
}

/**
 * Installs an item in the organization, or upgrades what was installed of it. Records that are as they were installed are
 * replaced. Throws `ItemWasEdited` for others unless the caller has chosen; a record that was not installed from the item
 * is never replaced. Installing the same version again changes nothing but what is to be replaced.
 */
export async function installItem(
  em: EntityManager,
  item: MarketplaceItem,
  options: InstallOptions,
): Promise<InstalledRecord[]> {
  checkSource(item, await lockInstall(em, options.orgId, item.slug), options);
  const edited: EditedRecord[] = [];
  const records: InstalledRecord[] = [];
  let compared = 0;
  const take = (result: InstalledRecord | EditedRecord) => {
    if ('outcome' in result) return records.push(result);
    compared += result.states === undefined ? 0 : sizeOf(result.states.current) + sizeOf(result.states.wanted);
    return edited.push(compared > MAX_COMPARED ? { ...result, states: undefined } : result);
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

function sizeOf(state: RecordState): number {
  if ('agent' in state) return state.agent.systemPrompt.length;
  const { files, persona } = state.definition;
  return [...files.values()].reduce((sum, text) => sum + text.length, persona?.systemPrompt.length ?? 0);
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
