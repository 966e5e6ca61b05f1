import type { EntityManager } from '@mikro-orm/postgresql';
import type { DefinitionContent } from '../../domain/definitions/index.ts';
import type { ItemDefinition } from '../../domain/marketplace/index.ts';
import { addDefinition, replaceDefinition, requireMayChange } from '../definition-changes/index.ts';
import { type DefinitionRecord, digestOf, findDefinition, keepInstalled } from '../definitions/index.ts';
import { decide, isNoted } from './decide.ts';
import type { EditedRecord } from './edited-record.ts';
import type { Installation, InstalledRecord } from './install-item.ts';

/** Installs a tool, skill or persona of an item, or says why it cannot be without losing something. */
export async function installDefinition(
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
  if (await isNoted(decision, async () => requireMayChange(deps, actor, record))) keepInstalled(record, content);
  const isAsItem = decision === 'equal' || decision === 'updated';
  return { ...result, outcome: decision === 'equal' ? 'unchanged' : decision, isAsItem };
}

/** Returns what a record holds, with its files. */
export async function contentOf(em: EntityManager, record: DefinitionRecord): Promise<DefinitionContent> {
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
