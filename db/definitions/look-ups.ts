import type { EntityManager } from '@mikro-orm/postgresql';
import type { AgentKeyChanges, KnownKeys } from '../../domain/agents.ts';
import { ANY_TOOL } from '../../domain/approvals.ts';
import type { Database } from '../core/index.ts';
import { MAX_NAMED_USERS, type NamedUsers } from '../records/index.ts';
import type { Definitions } from './definitions.ts';

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
  /** Tells whether a key is that of a tool of the service. */
  readonly isToolKey: (key: string) => boolean;
}

/**
 * Returns which of the keys that an agent is given mean something. The organization's own definitions are read only
 * where others are named than those of the service.
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
