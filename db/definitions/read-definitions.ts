import type { EntityManager } from '@mikro-orm/postgresql';
import type { AgentKeyChanges, KnownKeys } from '../../domain/agents.ts';
import { ANY_TOOL } from '../../domain/approvals.ts';
import type { Database } from '../core/database.ts';
import type { Listed, Page } from '../core/page.ts';
import { MAX_NAMED_USERS, type NamedUsers, readRecords } from '../records/records.ts';
import { definitionNotFound, type Definitions } from './definitions.ts';
import type {
  Definition,
  DefinitionContent,
  DefinitionHead,
  DefinitionKind,
  PersonaFields,
  ShippedDefinitions,
} from '../../domain/definitions/definition.ts';
import { DefinitionRecord } from './definition.entity.ts';

/** A definition as lists show it. */
export interface ListedDefinition extends DefinitionHead {
  /** Who added it; null for what ships with the service, and when the account is gone. */
  readonly ownerId: string | null;
  readonly persona: PersonaFields | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Whether it overrides a definition that ships with the service, in the organization. */
  readonly overrides: boolean;
  /** The organization's own definition that overrides this builtin one. */
  readonly overriddenBy: string | null;
}

/** The date of definitions that ship with the service. */
const SHIPPED_AT = new Date('2026-11-21T00:00:00.000Z');

type Reading = Pick<Database, 'orm' | 'tenant'>;

interface ListOptions extends Page {
  readonly kind: DefinitionKind;
  /** The keys, or for personas the ids, that may be shown; all unless given. */
  readonly only: readonly string[] | undefined;
}

/**
 * Lists the definitions in effect in an organization: its own, oldest first, then builtin ones in the order of keys.
 */
export async function listDefinitions(
  database: Reading,
  shipped: ShippedDefinitions,
  orgId: string,
  { kind, only, ...page }: ListOptions,
): Promise<Listed<ListedDefinition>> {
  const where = `kind = $2 and ($3::text[] is null or ${kind === 'persona' ? 'id::text' : 'key'} = any($3))`;
  const query = { name: `list-${kind}s`, where, values: [kind, only ?? null], page };
  const own = await readRecords(database, orgId, DefinitionRecord, query);
  const overriding = await overridingOf(database, shipped, orgId, kind);
  const rest = shownOf(shipped, { kind, only }).filter(({ key }) => !overriding.has(key));
  const total = own.total + rest.length;
  const items = own.items.map((record) => presentOwn(record, shipped));
  if (own.nextOffset !== undefined) return { items, total, nextOffset: own.nextOffset };
  const { limit = Infinity, offset = 0 } = page;
  const from = Math.max(0, offset - own.total);
  const shown = rest.slice(from, from + limit - items.length).map((each) => presentShipped(each, null));
  const end = offset + items.length + shown.length;
  const isPage = items.length + shown.length > 0;
  return { items: [...items, ...shown], total, nextOffset: isPage && end < total ? end : undefined };
}

/** Lists the definitions that ship with the service, and what overrides them in the organization. */
export async function listShipped(
  database: Reading,
  shipped: ShippedDefinitions,
  orgId: string,
  { kind, only }: Omit<ListOptions, keyof Page>,
): Promise<ListedDefinition[]> {
  const overriding = await overridingOf(database, shipped, orgId, kind);
  return shownOf(shipped, { kind, only }).map((each) => presentShipped(each, overriding.get(each.key) ?? null));
}

interface DefinitionOfOrg {
  readonly orgId: string;
  readonly kind: DefinitionKind;
  readonly id: string;
  /** The keys that the caller may see; all unless given. */
  readonly onlyKeys?: readonly string[] | undefined;
}

/** Returns one definition, own or builtin; `not_found` when there is none, or the caller may not see it. */
export async function readDefinition(
  database: Reading,
  shipped: ShippedDefinitions,
  { orgId, kind, id, onlyKeys }: DefinitionOfOrg,
): Promise<ListedDefinition> {
  const builtin = shipped.findById(kind, id);
  if (builtin !== undefined) {
    if (!isShown(builtin, onlyKeys)) throw definitionNotFound(kind);
    const overriding = await overridingOf(database, shipped, orgId, kind);
    return presentShipped(builtin, overriding.get(builtin.key) ?? null);
  }
  const query = { name: 'get-definition', where: 'kind = $2 and id = $3', values: [kind, id], page: {} };
  const { items } = await readRecords(database, orgId, DefinitionRecord, query);
  const [record] = items;
  if (record === undefined || !isShown(record, onlyKeys)) throw definitionNotFound(kind);
  return presentOwn(record, shipped);
}

/** Returns the content of one definition of an organization with all files; `not_found` when there is none. */
export async function readDefinitionContent(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, kind, id, onlyKeys }: DefinitionOfOrg,
): Promise<DefinitionContent> {
  const [row] = await tenant.query<Omit<DefinitionContent, 'files'> & { files: [string, string][] }>(orgId, {
    name: 'definition-content',
    text: `select d.key, d.name, d.description, d.category, d.version, d.persona,
        coalesce((select jsonb_agg(jsonb_build_array(f.path, f.content) order by f.path collate "C")
          from definition_files f where f.definition_id = d.id), '[]') as files
      from definitions d where d.kind = $1 and d.id = $2`,
    values: [kind, id],
  });
  if (row === undefined || !isShown(row, onlyKeys)) throw definitionNotFound(kind);
  return { ...row, files: new Map(row.files) };
}

/** A file of a definition in a list. */
interface DefinitionFileItem {
  readonly path: string;
  readonly bytes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Returns the files of a definition of an organization, in the order of their paths. */
export async function listDefinitionFiles(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  id: string,
): Promise<DefinitionFileItem[]> {
  return tenant.query<DefinitionFileItem>(orgId, {
    name: 'list-definition-files',
    text: `select path, octet_length(content) as bytes, created_at as "createdAt", updated_at as "updatedAt"
      from definition_files where definition_id = $1 order by path collate "C"`,
    values: [id],
  });
}

/** Returns the files of a definition that ships with the service. */
export function listShippedFiles({ files }: Definition): DefinitionFileItem[] {
  return [...files].map(([path, text]) => ({
    path,
    bytes: new TextEncoder().encode(text).length,
    createdAt: SHIPPED_AT,
    updatedAt: SHIPPED_AT,
  }));
}

/** Returns a file of a definition, own or builtin; `undefined` when it has none at this path. */
export async function readDefinitionFile(
  database: Reading,
  shipped: ShippedDefinitions,
  ref: DefinitionOfOrg,
  path: string,
): Promise<(DefinitionFileItem & { readonly content: string }) | undefined> {
  await readDefinition(database, shipped, ref);
  const builtin = shipped.findById(ref.kind, ref.id);
  if (builtin !== undefined) {
    const item = listShippedFiles(builtin).find((each) => each.path === path);
    return item && { ...item, content: builtin.files.get(path) ?? '' };
  }
  const [file] = await database.tenant.query<DefinitionFileItem & { content: string }>(ref.orgId, {
    name: 'get-definition-file',
    text: `select path, content, octet_length(content) as bytes, created_at as "createdAt", updated_at as "updatedAt"
      from definition_files where definition_id = $1 and path = $2`,
    values: [ref.id, path],
  });
  return file;
}

async function overridingOf(
  { tenant }: Pick<Database, 'tenant'>,
  shipped: ShippedDefinitions,
  orgId: string,
  kind: DefinitionKind,
): Promise<ReadonlyMap<string, string>> {
  const keys = shipped.all(kind).map(({ key }) => key);
  const rows = await tenant.query<{ key: string; id: string }>(orgId, {
    name: 'overriding-definitions',
    text: 'select key, id from definitions where org_id = $1 and kind = $2 and key = any($3)',
    values: [orgId, kind, keys],
  });
  return new Map(rows.map(({ key, id }) => [key, id]));
}

function shownOf(shipped: ShippedDefinitions, { kind, only }: Pick<ListOptions, 'kind' | 'only'>): Definition[] {
  return shipped.all(kind).filter(({ id, key }) => only === undefined || only.includes(kind === 'persona' ? id : key));
}

function isShown({ key }: { readonly key: string }, onlyKeys: readonly string[] | undefined): boolean {
  return onlyKeys === undefined || onlyKeys.includes(key);
}

function presentOwn(
  record: Omit<ListedDefinition, 'overrides' | 'overriddenBy'>,
  shipped: ShippedDefinitions,
): ListedDefinition {
  return { ...record, overrides: shipped.find(record.kind, record.key) !== undefined, overriddenBy: null };
}

function presentShipped(definition: Definition, overriddenBy: string | null): ListedDefinition {
  return {
    ...definition,
    ownerId: null,
    createdAt: SHIPPED_AT,
    updatedAt: SHIPPED_AT,
    overrides: false,
    overriddenBy,
  };
}

/**
 * Returns which tools of an organization name an integration in their tool.json, in whatever letters; of those that may
 * be shown, some keys.
 */
export async function findToolsOfIntegration(
  em: EntityManager,
  { orgId, name }: { readonly orgId: string; readonly name: string },
  onlyKeys: readonly string[] | undefined,
): Promise<NamedUsers> {
  const shown = onlyKeys === undefined ? null : `{${onlyKeys.join(',')}}`;
  const [users] = await em.execute<NamedUsers[]>(
    `select count(*)::int as total, to_jsonb((
        array_agg(d.key order by d.key) filter (where ?::text[] is null or d.key = any(?::text[]))
      )[1:${MAX_NAMED_USERS}]) as names
      from definitions d join definition_files f on f.definition_id = d.id and f.path = 'tool.json'
      where d.org_id = ? and d.kind = 'tool'
        and case when pg_input_is_valid(f.content, 'jsonb') then lower(f.content::jsonb ->> 'integration') = lower(?) end`,
    [shown, shown, orgId, name],
  );
  return { total: users?.total ?? 0, names: users?.names ?? [] };
}

/** Returns those of an organization's definitions that have no file at a path. */
export async function findWithoutFile(
  { tenant }: Pick<Database, 'tenant'>,
  orgId: string,
  { ids, path }: { readonly ids: readonly string[]; readonly path: string },
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await tenant.query<{ id: string }>(orgId, {
    name: 'definitions-without-file',
    text: `select d.id from definitions d where d.id = any($1::uuid[])
      and not exists (select from definition_files f where f.definition_id = d.id and f.path = $2)`,
    values: [ids, path],
  });
  return rows.map(({ id }) => id);
}

interface KeySources {
  readonly definitions: Definitions;
  /** Returns whether a key is that of a tool of the service. */
  readonly isToolKey: (key: string) => boolean;
}

/**
 * Returns which of an agent's keys exist. The organization's own definitions are read only where others are named than
 * those of the service.
 */
export async function knownAmong(
  { definitions, isToolKey }: KeySources,
  orgId: string,
  { tools = [], skills = [], requiresApproval: modes = {} }: AgentKeyChanges,
): Promise<KnownKeys> {
  const isSkillKey = (key: string) => definitions.shipped.find('skill', key) !== undefined;
  const [ownTools, ownSkills] = await Promise.all([
    [...tools, ...Object.keys(modes)].every((key) => key === ANY_TOOL || isToolKey(key))
      ? []
      : definitions.heads(orgId, 'tool'),
    skills.every(isSkillKey) ? [] : definitions.heads(orgId, 'skill'),
  ]);
  return {
    tools: (key) => isToolKey(key) || ownTools.some((tool) => tool.key === key),
    skills: (key) => isSkillKey(key) || ownSkills.some((skill) => skill.key === key),
  };
}
