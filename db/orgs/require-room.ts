import type { EntityManager } from '@mikro-orm/postgresql';
import { limitReached } from '../../domain/core/limit-reached.ts';
import { DELETED_FACTOR, type OrgLimits } from '../../domain/orgs/index.ts';
import { IS_LIVE_KEY } from '../api-keys/index.ts';
import type { Transaction } from '../core/index.ts';

// These checks run in the transaction that adds the record, and block all others of their kind until it has ended, so
// that their counts are exact. They do not run in the statement that takes the lock, whose snapshot is older than the
// lock.

const COUNTED = {
  agents: { table: 'agents', isLive: 'deleted_at is null', things: 'agents' },
  providers: { table: 'provider_accounts', isLive: 'deleted_at is null', things: 'provider accounts' },
  chains: { table: 'provider_chains', isLive: 'true', things: 'provider chains' },
  definitions: { table: 'definitions', isLive: 'true', things: 'tools, skills and personas' },
  modelProfiles: { table: 'model_profiles', isLive: 'true', things: 'model profiles' },
  groups: { table: 'permission_groups', isLive: 'true', things: 'permission groups' },
  mcpServers: { table: 'mcp_servers', isLive: 'true', things: 'MCP servers' },
  integrations: { table: 'integrations', isLive: 'true', things: 'integrations' },
  knowledgeBases: { table: 'knowledge_bases', isLive: 'true', things: 'knowledge bases' },
  projects: { table: 'projects', isLive: 'deleted_at is null', things: 'projects' },
  schedules: { table: 'schedules', isLive: 'workflow_id is null', things: 'schedules' },
  workflows: { table: 'agent_workflows', isLive: 'true', things: 'workflows' },
} as const;

/**
 * Checks that the organization may have one more record of a kind, new or restored; `conflict` when its limit is
 * reached.
 */
export async function requireRoom(
  em: EntityManager,
  orgId: string,
  kind: keyof typeof COUNTED,
  limits: OrgLimits,
  { isNew = true } = {},
): Promise<void> {
  const { table, isLive, things } = COUNTED[kind];
  const limit = limits[kind];
  const most = Math.min(limit * DELETED_FACTOR, Number.MAX_SAFE_INTEGER);
  await em.execute(lock('?'), [`${kind} ${orgId}`]);
  const [row] = await em.execute<{ live: string; total: string }[]>(
    `select count(*) filter (where is_live) as live, count(*) as total
      from (select ${isLive} as is_live from ${table} where org_id = ? limit ?) counted`,
    [orgId, most],
  );
  const { live, total } = { live: Number(row?.live), total: Number(row?.total) };
  if (live >= limit) throw limitReached(things, limit);
  if (isNew && total >= most) throw limitReached(`${things}, deleted ones included`, most);
}

/** Checks that the organization may have one more open invite, and one more member through it. */
export async function requireRoomForInvite(transaction: Transaction, orgId: string, limits: OrgLimits): Promise<void> {
  await transaction.query(lock('$1'), [`invites ${orgId}`]);
  const { rows } = await transaction.query<{ invites: number; members: number }>(
    `select (select count(*) from invites where org_id = $1 and used_at is null and expires_at > now()) as invites,
      (select count(*) from memberships where org_id = $1) as members`,
    [orgId],
  );
  const { invites, members } = rows[0] ?? { invites: 0, members: 0 };
  if (invites >= limits.invites) throw limitReached('open invites', limits.invites);
  if (members + invites >= limits.members) throw limitReached('members, open invites included', limits.members);
}

/** Checks that the user may own one more organization, a new one or one that is handed over. */
export async function requireRoomForOrg(
  transaction: Transaction,
  userId: string,
  { orgs }: Pick<OrgLimits, 'orgs'>,
  { isHandedOver = false } = {},
): Promise<void> {
  await transaction.query(lock('$1'), [`orgs ${userId}`]);
  const { rows } = await transaction.query<{ total: number }>(
    "select count(*) as total from memberships where user_id = $1 and role = 'owner'",
    [userId],
  );
  if ((rows[0]?.total ?? 0) < orgs) return;
  const options = isHandedOver ? ({ whose: 'member', advice: '' } as const) : ({ whose: 'user' } as const);
  throw limitReached('organizations', orgs, options);
}

/** Checks that the user may have one more API key of the organization. */
export async function requireRoomForApiKey(
  transaction: Transaction,
  { orgId, userId }: { orgId: string; userId: string },
  { apiKeys }: OrgLimits,
): Promise<void> {
  await transaction.query(lock('$1'), [`api keys ${orgId} ${userId}`]);
  const { rows } = await transaction.query<{ total: number }>(
    `select count(*) as total from api_keys k where k.org_id = $1 and k.user_id = $2 and ${IS_LIVE_KEY}`,
    [orgId, userId],
  );
  if ((rows[0]?.total ?? 0) >= apiKeys) throw limitReached('API keys', apiKeys, { whose: 'user', advice: '' });
}

function lock(name: string): string {
  return `select pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
}
