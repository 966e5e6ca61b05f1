import type { EntityManager } from '@mikro-orm/postgresql';
import { limitReached } from '../../domain/core/app-error.ts';
import { DELETED_FACTOR, ON_LIMITS, orgLimitReached, type OrgLimits } from '../../domain/orgs.ts';
import { IS_LIVE_KEY } from '../api-keys.ts';
import type { Transaction } from '../core/transactions.ts';

const LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';

// These checks run in the transaction that adds the record, and block all others of their kind until it has ended, so
// that their counts are exact.
const COUNTED = {
  agents: { table: 'agents', isLive: 'deleted_at is null' },
  providers: { table: 'provider_accounts', isLive: 'deleted_at is null' },
  chains: { table: 'provider_chains', isLive: 'true' },
  definitions: { table: 'definitions', isLive: 'true' },
  modelProfiles: { table: 'model_profiles', isLive: 'true' },
  groups: { table: 'permission_groups', isLive: 'true' },
  mcpServers: { table: 'mcp_servers', isLive: 'true' },
  integrations: { table: 'integrations', isLive: 'true' },
  destinations: { table: 'destinations', isLive: 'true' },
  channels: { table: 'channels', isLive: 'true' },
  knowledgeBases: { table: 'knowledge_bases', isLive: 'true' },
  projects: { table: 'projects', isLive: 'deleted_at is null' },
  schedules: { table: 'schedules', isLive: 'workflow_id is null' },
  workflows: { table: 'agent_workflows', isLive: 'true' },
} as const;

/**
 * Checks that the organizations of the owner may have one more record of a kind, new or restored; `conflict` when their
 * limit is reached.
 */
export async function requireRoom(
  em: EntityManager,
  orgId: string,
  kind: keyof typeof COUNTED,
  limits: OrgLimits,
  { isNew = true } = {},
): Promise<void> {
  const { table, isLive } = COUNTED[kind];
  const limit = limits[kind];
  const most = Math.min(limit * DELETED_FACTOR, Number.MAX_SAFE_INTEGER);
  await em.execute(lockForOwner('?', '?'), [orgId, kind]);
  const [row] = await em.execute<{ live: string; total: string }[]>('select * from count_of_owner(?, ?, ?, ?)', [
    orgId,
    table,
    isLive,
    most,
  ]);
  const { live, total } = { live: Number(row?.live), total: Number(row?.total) };
  if (live >= limit) throw orgLimitReached(kind, limits);
  if (isNew && total >= most) throw orgLimitReached(kind, limits, { withDeleted: true });
}

/** Checks that the owner may have one more open invite, and one more member through it. */
export async function requireRoomForInvite(transaction: Transaction, orgId: string, limits: OrgLimits): Promise<void> {
  await transaction.query(lockForOwner('$1', '$2'), [orgId, 'invites']);
  const { rows } = await transaction.query<{ invites: number; members: number }>(
    `select (select count(*) from invites i where i.org_id = any(owned.ids) and used_at is null and expires_at > now()) as invites,
      (select count(*) from memberships m where m.org_id = any(owned.ids)) as members
    from (select orgs_of_owner($1) as ids) owned`,
    [orgId],
  );
  const { invites, members } = rows[0] ?? { invites: 0, members: 0 };
  if (invites >= limits.invites) throw orgLimitReached('invites', limits);
  if (members + invites >= limits.members) throw orgLimitReached('members', limits);
}

/** Checks that the user may own one more organization, a new one or one that is handed over. */
export async function requireRoomForOrg(
  transaction: Transaction,
  userId: string,
  { orgs }: Pick<OrgLimits, 'orgs'>,
  { isHandedOver = false } = {},
): Promise<void> {
  await transaction.query(LOCK, [`orgs ${userId}`]);
  const { rows } = await transaction.query<{ total: number }>(
    "select count(*) as total from memberships where user_id = $1 and role = 'owner'",
    [userId],
  );
  if ((rows[0]?.total ?? 0) < orgs) return;
  const whose = isHandedOver ? 'member' : 'user';
  throw limitReached('organizations', orgs, { whose, advice: ON_LIMITS });
}

/** Checks that the user may have one more API key of the organization. */
export async function requireRoomForApiKey(
  transaction: Transaction,
  { orgId, userId }: { orgId: string; userId: string },
  { apiKeys }: OrgLimits,
): Promise<void> {
  await transaction.query(LOCK, [`api keys ${orgId} ${userId}`]);
  const { rows } = await transaction.query<{ total: number }>(
    `select count(*) as total from api_keys k where k.org_id = $1 and k.user_id = $2 and ${IS_LIVE_KEY}`,
    [orgId, userId],
  );
  if ((rows[0]?.total ?? 0) >= apiKeys) throw limitReached('API keys', apiKeys, { whose: 'user', advice: ON_LIMITS });
}

/** The records that are bounded by a stored total: a name that `total_of_owner` knows. */
type BoundedTotal =
  | 'message_bytes'
  | 'chats'
  | 'chats_made'
  | 'work_bytes'
  | 'upload_bytes'
  | 'file_bytes'
  | 'replaced_file_bytes'
  | 'knowledge_bytes'
  | 'channel_bytes'
  | 'definition_bytes';

/** Totals that `org_usage` has, which each new chat and each message asks for. */
const IN_USAGE: ReadonlySet<BoundedTotal> = new Set(['message_bytes', 'chats', 'chats_made']);

/**
 * Returns, in SQL, what all organizations of an organization's owner use together. Most owners have one, and reading
 * the usage of one costs half as much as the function.
 */
export function totalOfOwner(orgId: string, what: BoundedTotal): string {
  if (!IN_USAGE.has(what)) return `total_of_owner(${orgId}, '${what}')`;
  return `(select case when owns_several(o.id) then total_of_owner(o.id, '${what}')
      else coalesce((select ${what} from org_usage where org_id = o.id), 0) end
    from (select ${orgId}::uuid as id) o)`;
}

/**
 * Returns a statement that blocks all who lock the same for an organization of the same owner, until the transaction
 * has ended. The count is read by a later statement, whose snapshot is newer than the lock.
 */
export function lockForOwner(orgId: string, what: string): string {
  return `select lock_for_owner(${orgId}, ${what})`;
}
