import { requireMayDirect, type UsedRecords } from '../../db/agents/index.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { shownBy } from './reject-in-use.ts';

/**
 * Rejects changing records by which agents are told something that the caller may not direct; names one of these
 * agents.
 */
export async function checkDirection(
  { database }: Pick<ApiContext, 'database'>,
  { orgId, policy }: OrgCaller,
  used: UsedRecords,
): Promise<void> {
  await requireMayDirect(database, { orgId, policy, onlyAgentIds: shownBy(policy, 'agents') }, used);
}
