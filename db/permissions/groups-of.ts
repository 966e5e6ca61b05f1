import type { GroupRules } from '../../domain/permissions/index.ts';
import type { Database } from '../core/database.ts';

/** The parts of `permission_groups g` that make its members' policies (`GroupRules` of the domain), as JSON. */
const GROUP = `json_build_object('id', g.id, 'permissions', g.permissions, 'limits', g.limits, 'allowlists', g.allowlists,
  'defaultChainId', g.default_chain_id)`;

/** Returns the groups of the member that the given columns name, as a JSON array. */
export function groupsOf(orgId: string, userId: string): string {
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
