import type { EntityManager } from '@mikro-orm/postgresql';
import { MAX_NAMED_USERS, type NamedUsers, uuidArray } from '../../records/index.ts';

// An agent names a profile by its name, in whatever letters.
const NAMES_PROFILE = `org_id = ? and model_pref like 'profile:%' and lower(trim(substr(model_pref, 9))) = lower(?)`;

interface ProfileName {
  readonly orgId: string;
  readonly name: string;
}

/** Returns which agents name a model profile, deleted ones apart; of those that may be shown, some names. */
export async function findAgentsOfProfile(
  em: EntityManager,
  { orgId, name }: ProfileName,
  onlyIds: readonly string[] | undefined,
): Promise<NamedUsers> {
  const shown = onlyIds === undefined ? null : uuidArray(onlyIds);
  const [users] = await em.execute<NamedUsers[]>(
    `select count(*)::int as total, to_jsonb((
        array_agg(name order by id) filter (where ?::uuid[] is null or id = any(?::uuid[]))
      )[1:${MAX_NAMED_USERS}]) as names
      from agents where ${NAMES_PROFILE} and deleted_at is null`,
    [shown, shown, orgId, name],
  );
  return { total: users?.total ?? 0, names: users?.names ?? [] };
}

/** Has the agents that name a model profile name it as it is called now, deleted ones too. */
export async function renameProfileOfAgents(
  em: EntityManager,
  { orgId, name, newName }: ProfileName & { readonly newName: string },
): Promise<void> {
  await em.execute(`update agents set model_pref = 'profile:' || ?, updated_at = now() where ${NAMES_PROFILE}`, [
    newName,
    orgId,
    name,
  ]);
}
