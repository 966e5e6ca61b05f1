import type { Facility, Lacking } from '../../domain/tools/index.ts';
import type { Database } from '../core/index.ts';

/** A worker that was not seen for so long is gone. */
const GONE_AFTER = '1 minute';

const NO_WORKER = 'no worker is running';

/** Notes what a worker lacks, and that it is there; forgets those that are gone. */
export async function reportWorker(
  { system }: Pick<Database, 'system'>,
  { id, lacks }: { readonly id: string; readonly lacks: Lacking },
): Promise<void> {
  await system.query(
    `with gone as (delete from workers where seen_at < now() - interval '${GONE_AFTER}' and id <> $1)
      insert into workers (id, seen_at, lacks) values ($1, now(), $2)
      on conflict (id) do update set seen_at = excluded.seen_at, lacks = excluded.lacks`,
    [id, JSON.stringify(lacks)],
  );
}

/**
 * Returns why the given facilities cannot be counted on: any worker may be the one that runs a call, so each must have
 * them. Nothing is read when none are given.
 */
export async function readLacking({ system }: Pick<Database, 'system'>, wanted: readonly Facility[]): Promise<Lacking> {
  if (wanted.length === 0) return {};
  const { rows } = await system.query<{ readonly lacks: Lacking }>(
    `select lacks from workers where seen_at > now() - interval '${GONE_AFTER}' order by id`,
  );
  if (rows.length === 0) return Object.fromEntries(wanted.map((facility) => [facility, NO_WORKER]));
  const lacks = wanted.flatMap((facility) => {
    const reason = rows.map((row) => row.lacks[facility]).find((each) => each !== undefined);
    return reason === undefined ? [] : [[facility, reason] as const];
  });
  return Object.fromEntries(lacks);
}
