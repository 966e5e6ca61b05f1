import type { EntityManager } from '@mikro-orm/postgresql';
import type { DefinitionContent } from '../../domain/definitions/index.ts';
import type { ItemDefinition } from '../../domain/marketplace/index.ts';
import {
  createDefinition,
  type DefinitionRecord,
  digestOf,
  findDefinition,
  keepInstalled,
  replaceDefinition,
} from '../definitions/index.ts';
import type { EditedRecord, InstalledRecord, InstallOptions } from './install-item.ts';

/** Installs a tool, skill or persona of an item, or says why it cannot be without losing something. */
export async function installDefinition(
  em: EntityManager,
  slug: string,
  { kind, content }: ItemDefinition,
  { orgId, limits, edited }: InstallOptions,
): Promise<InstalledRecord | EditedRecord> {
  const { key, name } = content;
  const record = await findDefinition(em, { kind, key });
  if (record === null) {
    const { id } = await createDefinition(em, { orgId, kind, limits, slug }, content);
    return { kind, id, key, name, outcome: 'created' };
  }
  const result = { kind, id: record.id, key, name };
  const current = await contentOf(em, record);
  const [wanted, present] = [digestOf(content), digestOf(current)];
  const isOfItem = record.slug === slug;
  // There is nothing newer than what was installed, whatever has been made of it.
  if (isOfItem && (record.installedDigest === wanted || present === wanted)) return { ...result, outcome: 'unchanged' };
  const isUntouched = isOfItem && record.installedDigest === present;
  if (isUntouched || (isOfItem && edited === 'replace')) {
    await replaceDefinition(em, record, content, { limits, isInstalled: true });
    return { ...result, outcome: 'updated' };
  }
  if (edited !== 'keep')
    return { kind, key, current: { definition: current }, wanted: { definition: content }, isForeign: !isOfItem };
  // Not asked about again until there is a newer one.
  if (isOfItem) keepInstalled(record, content);
  return { ...result, outcome: 'kept' };
}

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
