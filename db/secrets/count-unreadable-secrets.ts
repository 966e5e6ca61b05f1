import type { Database, SecretBox } from '../core/index.ts';
import { STORED_SECRETS } from './stored-secrets.ts';

/** The newest rows of each table that are looked at: a lost key shows in them, and a start must not read everything. */
const MAX_ROWS = 10_000;

/**
 * Counts the stored secrets that were encrypted with a key which the box does not hold, by what they belong to, among
 * the newest of each kind. Kinds without any are left out.
 */
export async function countUnreadableSecrets(
  { system }: Pick<Database, 'system'>,
  box: SecretBox,
): Promise<Record<string, number>> {
  const { rows } = await system.query<{ kind: string; count: number }>(COUNT, [box.keyIds]);
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

const COUNT = `select kind, count(*)::int as count from (
    ${STORED_SECRETS.filter(({ isPassing }) => isPassing !== true)
      .map(
        ({ kind, table, column }) =>
          `(select '${kind}' as kind, ${column} as secret from ${table} where ${column} is not null order by id desc limit ${MAX_ROWS})`,
      )
      .join(' union all ')}
  ) secrets
  where encode(substring(secret from 1 for 4), 'hex') <> all($1::text[]) group by kind order by kind`;
