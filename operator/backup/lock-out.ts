import type { ClientBase } from 'pg';
import { Refusal } from '../program.ts';

/** Keeps others from doing the same while the connection is open. Throws a `Refusal` when somebody does it already. */
export async function lockOut(client: ClientBase, work: string, refusal: string): Promise<void> {
  const { rows } = await client.query<{ isFree: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as "isFree"',
    [work],
  );
  if (rows[0]?.isFree !== true) throw new Refusal(refusal);
}
