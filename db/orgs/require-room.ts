import { AppError } from '../../domain/core/app-error.ts';
import type { OrgLimits } from '../../domain/orgs/index.ts';
import { IS_LIVE_KEY } from '../api-keys/index.ts';
import type { Database } from '../core/index.ts';

/** Records that can be restored may be so many times as many as live ones. */
const DELETED_FACTOR = 10;

const COUNTED = {
  agents: { table: 'agents', isLive: 'deleted_at is null', things: 'agents' },
  providers: { table: 'provider_accounts', isLive: 'deleted_at is null', things: 'provider accounts' },
  chains: { table: 'provider_chains', isLive: 'true', things: 'provider chains' },
  groups: { table: 'permission_groups', isLive: 'true', things: 'permission groups' },
} as const;

/**
 * Makes sure that the organization may have one more of a kind, a new one or one that is restored; `conflict` when it has
 * as many as it may. What others add at the same moment is not counted: the limit bounds, and is not exact.
 */
export async function requireRoom(
  { tenant }: Database,
  orgId: string,
  kind: keyof typeof COUNTED,
  limits: OrgLimits,
  { isNew = true } = {},
): Promise<void> {
  const { table, isLive, things } = COUNTED[kind];
  const limit = limits[kind];
  const most = Math.min(limit * DELETED_FACTOR, Number.MAX_SAFE_INTEGER);
  const [row] = await tenant.query<{ live: number; total: number }>(orgId, {
    name: `room-for-${kind}`,
    text: `select count(*) filter (where is_live) as live, count(*) as total
      from (select ${isLive} as is_live from ${table} where org_id = $1 limit $2) counted`,
    values: [orgId, most],
  });
  if (row === undefined || (row.live < limit && (row.total < most || !isNew))) return;
  throw row.live < limit ? full(most, `${things}, deleted ones included`) : full(limit, things);
}

/** Makes sure that the organization may have one more open invite, and one more member by it. */
export async function requireRoomForInvite({ tenant }: Database, orgId: string, limits: OrgLimits): Promise<void> {
  const [row] = await tenant.query<{ invites: number; members: number }>(orgId, {
    name: 'room-for-invite',
    text: `select (select count(*) from invites where org_id = $1 and used_at is null and expires_at > now()) as invites,
      (select count(*) from memberships where org_id = $1) as members`,
    values: [orgId],
  });
  if (row === undefined) return;
  if (row.invites >= limits.invites) throw full(limits.invites, 'open invites');
  if (row.members + row.invites >= limits.members) throw full(limits.members, 'members, open invites included');
}

/** Makes sure that the user may have one more API key of the organization. */
export async function requireRoomForApiKey(
  { tenant }: Database,
  { orgId, userId }: { orgId: string; userId: string },
  { apiKeys }: OrgLimits,
): Promise<void> {
  const [row] = await tenant.query<{ total: number }>(orgId, {
    name: 'room-for-api-key',
    text: `select count(*) as total from api_keys k where k.org_id = $1 and k.user_id = $2 and ${IS_LIVE_KEY}`,
    values: [orgId, userId],
  });
  if (row !== undefined && row.total >= apiKeys)
    throw new AppError('conflict', `You have reached your limit of ${apiKeys.toLocaleString('en')} API keys`);
}

function full(limit: number, things: string): AppError {
  return new AppError(
    'conflict',
    `The organization has reached its limit of ${limit.toLocaleString('en')} ${things}; delete what is no longer needed`,
  );
}
