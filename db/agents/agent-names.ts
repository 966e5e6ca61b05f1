import type { Database } from '../core/index.ts';

/** Returns what live agents of the organization are called, by their ids. */
export async function findAgentNames(
  { tenant }: Database,
  orgId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tenant.query<{ id: string; name: string }>(orgId, {
    name: 'agent-names',
    text: 'select id, name from agents where id = any($1::uuid[]) and deleted_at is null',
    values: [ids],
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}
