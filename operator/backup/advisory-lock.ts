import type { ClientBase } from 'pg';
import { Refusal } from '../program.ts';

/** Locks some work in the database until the connection closes; throws `refusal` while another process does it. */
export async function takeAdvisoryLock(client: ClientBase, work: string, refusal: string): Promise<void> {
  const { rows } = await client.query<{ isFree: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as "isFree"',
    [work],
  );
  if (rows[0]?.isFree !== true) throw new Refusal(refusal);
}
