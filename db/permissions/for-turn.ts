import type { EntityManager } from '@mikro-orm/postgresql';
import type { Membership } from '../../domain/orgs.ts';
import { type PermissionKey, type Role, roleGrants, ROLES } from '../../domain/permissions/keys.ts';
import { type GroupRules, type Policy, policyOf } from '../../domain/permissions/policy.ts';
import type { Database } from '../core/database.ts';

/** A member's role and groups; the role is null, or the row missing, for a user who is no member. */
export interface MemberRow {
  readonly userRole: Role | null;
  readonly groups: readonly GroupRules[];
}

/** The parts of `permission_groups g` that make its members' policies (`GroupRules` of the domain), as JSON. */
const GROUP = `json_build_object('id', g.id, 'permissions', g.permissions, 'limits', g.limits, 'allowlists', g.allowlists,
  'defaultChainId', g.default_chain_id)`;

/** The role of membership `m`, and the groups that restrict it, as columns of a `MemberRow`. */
export const MEMBER_COLUMNS = `m.role as "userRole", case when m.role in ('admin', 'owner') then '[]'
  else ${groupsOf('m.org_id', 'm.user_id')} end as groups`;

/** Reads the inputs of the policy of the user of `chats c`. */
export const MEMBER_OF_CHAT = `select ${MEMBER_COLUMNS} from memberships m where m.org_id = c.org_id and m.user_id = c.user_id`;

/** Makes a member's policy; null for a user who is no member. */
export function policyOfMember(member: MemberRow | undefined): Policy | null {
  if (member === undefined || member.userRole === null) return null;
  return policyOf(member.userRole, member.groups);
}

/**
 * Returns the condition on which the member of membership `m` has a key, in SQL, as `policyOf` does for keys that no
 * other key implies.
 */
export function holdsKey(key: PermissionKey & `${string}.manage`): string {
  const roles = ROLES.filter((role) => roleGrants(role, key)).join("','");
  return `m.role in ('${roles}') and (m.role in ('admin', 'owner') or (
    select coalesce(bool_or(g.permissions ? '${key}'), true)
    from permission_group_members gm join permission_groups g on g.id = gm.group_id
    where gm.org_id = m.org_id and gm.user_id = m.user_id
  ))`;
}

/** Returns the policy of a member, as the transaction sees it; null for a user who is no member. */
export async function findPolicy(em: EntityManager, { orgId, userId }: Membership): Promise<Policy | null> {
  const [member] = await em.execute<MemberRow[]>(
    `select ${MEMBER_COLUMNS} from memberships m where m.org_id = ? and m.user_id = ?`,
    [orgId, userId],
  );
  return policyOfMember(member);
}

/** Returns the groups of the member that the given columns name, as a JSON array. */
function groupsOf(orgId: string, userId: string): string {
  return `coalesce((select json_agg(${GROUP} order by g.id) from permission_group_members gm
    join permission_groups g on g.id = gm.group_id where gm.org_id = ${orgId} and gm.user_id = ${userId}), '[]')`;
}

/** Returns the ids and names of the groups of the member that the given columns name, as a JSON array. */
export function groupNamesOf(orgId: string, userId: string): string {
  return `coalesce((select json_agg(json_build_object('id', g.id, 'name', g.name) order by g.id)
    from permission_group_members gm join permission_groups g on g.id = gm.group_id
    where gm.org_id = ${orgId} and gm.user_id = ${userId}), '[]')`;
}

/** Returns the groups that a member is in. */
export async function findGroupsOf(
  { tenant }: Database,
  { orgId, userId }: { orgId: string; userId: string },
): Promise<readonly GroupRules[]> {
  const [row] = await tenant.query<{ groups: GroupRules[] }>(orgId, {
    name: 'find-groups-of',
    text: `select ${groupsOf('$1::uuid', '$2::uuid')} as groups`,
    values: [orgId, userId],
  });
  return row?.groups ?? [];
}
