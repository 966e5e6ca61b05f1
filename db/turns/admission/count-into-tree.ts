import type { Database } from '../../core/database.ts';

interface TreeCount {
  /** The turn at the root of the tree. */
  readonly rootId: string;
  readonly count: number;
  /** Limit on the tree's sub-agents, at all levels together. */
  readonly atMost: number;
}

/**
 * Counts further sub-agents of a tree of turns, up to its limit, and returns how many were granted. Exact: concurrent
 * calls run one after the other. Sub-agents that are counted but never stored, because the worker died, stay counted.
 */
export async function countIntoTree(
  { tenant }: Database,
  orgId: string,
  { rootId, count, atMost }: TreeCount,
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
