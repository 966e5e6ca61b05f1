import type { Database } from '../../core/database.ts';

interface Wanted {
  /** The turn at the root of the tree. */
  readonly rootId: string;
  readonly count: number;
  /** Sub-agents that the tree may have, at all levels together. */
  readonly atMost: number;
}

/**
 * Counts further sub-agents of a tree of turns, as many as it may still have, and answers how many those are. Exact: those
 * that count at the same time do so one after the other. What is counted and then not stored, because its worker died,
 * stays counted.
 */
export async function countIntoTree(
  { tenant }: Database,
  orgId: string,
  { rootId, count, atMost }: Wanted,
): Promise<number> {
  const [row] = await tenant.query<{ granted: number }>(orgId, {
    name: 'count-into-tree',
    text: `with root as (select id, sub_agent_count as before from turns where id = $1 for update)
      update turns t set sub_agent_count = greatest(least(root.before + $2::int, $3::int), root.before) from root
      where t.id = root.id returning t.sub_agent_count - root.before as granted`,
    values: [rootId, count, atMost],
  });
  return row?.granted ?? 0;
}
