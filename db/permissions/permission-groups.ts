import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import type { Listed, Page } from '../core/page.ts';
import { changePolicies } from '../orgs/memberships.ts';
import { requireProviderChain } from '../provider-chains.ts';
import { flushUnique, lockRecord, readRecords, uuidArray } from '../records/records.ts';
import { PermissionGroup } from './permission-group.entity.ts';

/** The fields of a group that an administrator sets. */
export type PermissionGroupFields = Pick<
  PermissionGroup,
  'name' | 'description' | 'permissions' | 'limits' | 'allowlists' | 'defaultChainId'
>;

/** A group with its members. */
export interface GroupWithMembers {
  readonly group: PermissionGroup;
  readonly userIds: readonly string[];
}

interface GroupRef {
  readonly orgId: string;
  readonly id: string;
}

const NAME_TAKEN = 'A permission group with this name already exists';
const THING = 'Permission group';

/** Returns the organization's groups with their members, oldest first. */
export async function listPermissionGroups(
  database: Database,
  orgId: string,
  page: Page,
): Promise<Listed<GroupWithMembers>> {
  return readGroups(database, orgId, { name: 'list-permission-groups', page });
}

/** Returns the group with its members; `not_found` when there is none. */
export async function getPermissionGroup(database: Database, { orgId, id }: GroupRef): Promise<GroupWithMembers> {
  const query = { name: 'get-permission-group', where: 'id = $2', values: [id], page: {} };
  const { items } = await readGroups(database, orgId, query);
  const [group] = items;
  if (group === undefined) throw notFound(THING);
  return group;
}

async function readGroups(
  database: Database,
  orgId: string,
  query: Parameters<typeof readRecords<PermissionGroup>>[3],
): Promise<Listed<GroupWithMembers>> {
  const { items: groups, ...rest } = await readRecords(database, orgId, PermissionGroup, {
    ...query,
    moreBytes: '200 + 39 * (select count(*) from permission_group_members where group_id = permission_groups.id)',
  });
  const rows = await database.tenant.query<{ groupId: string; userId: string }>(orgId, {
    name: 'list-permission-group-members',
    text: `select group_id as "groupId", user_id as "userId" from permission_group_members
      where group_id = any($1::uuid[]) order by user_id`,
    values: [groups.map(({ id }) => id)],
  });
  const byGroup = Map.groupBy(rows, ({ groupId }) => groupId);
  const userIdsOf = ({ id }: PermissionGroup) => (byGroup.get(id) ?? []).map(({ userId }) => userId);
  return { ...rest, items: groups.map((group) => ({ group, userIds: userIdsOf(group) })) };
}

/** Adds a group without members; `conflict` when the organization has one with this name, ignoring case. */
export async function createPermissionGroup(
  em: EntityManager,
  orgId: string,
  fields: PermissionGroupFields,
): Promise<GroupWithMembers> {
  await checkChain(em, fields);
  const group = em.create(PermissionGroup, { ...fields, orgId } as RequiredEntityData<PermissionGroup>, {
    persist: true,
  });
  await flushUnique(em, NAME_TAKEN);
  return { group, userIds: [] };
}

/** Returns the group, locked until the transaction has ended; `not_found` when there is none. */
export async function lockPermissionGroup(em: EntityManager, id: string): Promise<PermissionGroup> {
  return lockRecord(em, PermissionGroup, THING, { id });
}

/** Changes the given fields only; `conflict` when another group has the name. */
export async function updatePermissionGroup(
  em: EntityManager,
  group: PermissionGroup,
  changes: Partial<PermissionGroupFields>,
): Promise<GroupWithMembers> {
  if (changes.defaultChainId !== group.defaultChainId) await checkChain(em, changes);
  em.assign(group, changes, { mergeObjectProperties: false });
  await flushUnique(em, NAME_TAKEN);
  const userIds = await membersOf(em, group.id);
  await changePolicies(em, group.orgId, userIds);
  return { group, userIds };
}

/** Deletes a group. */
export async function deletePermissionGroup(em: EntityManager, { orgId, id }: GroupRef): Promise<void> {
  await lockPermissionGroup(em, id);
  const userIds = await membersOf(em, id);
  await em.nativeDelete(PermissionGroup, { id });
  await changePolicies(em, orgId, userIds);
}

/** Sets the members of the group; `not_found` when a user is not a member of the organization. */
export async function setGroupMembers(
  em: EntityManager,
  { orgId, id }: GroupRef,
  wanted: readonly string[],
): Promise<GroupWithMembers> {
  const group = await lockPermissionGroup(em, id);
  const userIds = [...new Set(wanted)].toSorted();
  const before = await membersOf(em, id);
  const list = uuidArray(userIds);
  // Locked, so that nobody leaves the organization between the check and the insert.
  const members = await em.execute<{ id: string }[]>(
    'select user_id as id from memberships where org_id = ? and user_id = any(?::uuid[]) order by user_id for key share',
    [orgId, list],
  );
  if (members.length < userIds.length) throw notFound('Member');
  await em.execute('delete from permission_group_members where group_id = ? and user_id <> all(?::uuid[])', [id, list]);
  await em.execute(
    `insert into permission_group_members (group_id, org_id, user_id) select ?, ?, unnest(?::uuid[])
      on conflict do nothing`,
    [id, orgId, list],
  );
  const affectedUserIds = [...missingIn(userIds, before), ...missingIn(before, userIds)];
  await changePolicies(em, orgId, affectedUserIds);
  if (affectedUserIds.length > 0) group.updatedAt = new Date();
  return { group, userIds };
}

function missingIn(list: readonly string[], others: readonly string[]): string[] {
  const known = new Set(list);
  return others.filter((each) => !known.has(each));
}

async function membersOf(em: EntityManager, groupId: string): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    'select user_id as id from permission_group_members where group_id = ? order by user_id',
    [groupId],
  );
  return rows.map(({ id }) => id);
}

async function checkChain(em: EntityManager, { defaultChainId }: Partial<PermissionGroupFields>): Promise<void> {
  if (typeof defaultChainId === 'string') await requireProviderChain(em, defaultChainId);
}

/** Returns whether a permission group forces a chain on its members. */
export async function isForcedChain(em: EntityManager, id: string): Promise<boolean> {
  return (await em.count(PermissionGroup, { defaultChainId: id })) > 0;
}
