import type { Role } from '../../domain/permissions/keys.ts';
import type { ApiClient } from './api-client.ts';
import { created, registerUser, type TestUser } from './factories.ts';
import type { TestApi } from './test-api.ts';

/**
 * Registers a user and makes the organization of `host`, which has invited their address, their active one. A new owner
 * takes the place of the former.
 */
export async function registerColleague(api: TestApi, host: TestUser, role: Role): Promise<TestUser> {
  const user = await registerUser(api.url);
  const { system } = api.database;
  if (role === 'owner')
    await system.query("update memberships set role = 'admin' where org_id = $1 and role = 'owner'", [host.orgId]);
  await system.query('insert into memberships (org_id, user_id, role, invited_email) values ($1, $2, $3, $4)', [
    host.orgId,
    user.id,
    role,
    user.email,
  ]);
  await system.query('update users set active_org_id = $1 where id = $2', [host.orgId, user.id]);
  await api.database.follow([{ accessOf: [host.id, user.id] }]);
  return { ...user, orgId: host.orgId };
}

/** Invites somebody into the organization of `host`, as whose managed account they register. */
export async function registerManaged(api: TestApi, host: TestUser, role: 'viewer' | 'member'): Promise<TestUser> {
  const invite = await host.client.post<{ token: string }>(`/api/orgs/${host.orgId}/invites`, { role });
  return registerUser(api.url, { invite_token: invite.json.token });
}

/** Registers a user who belongs to no organization. */
export async function registerOutsider(api: TestApi): Promise<ApiClient> {
  const user = await registerUser(api.url);
  await api.database.system.query('delete from memberships where user_id = $1', [user.id]);
  await api.database.follow([{ accessOf: [user.id] }]);
  return user.client;
}

/** Registers a member in a group of their own with these permissions, which an owner restricts further at its path. */
export async function registerGrouped(
  api: TestApi,
  owner: TestUser,
  permissions: readonly string[],
): Promise<{ readonly member: TestUser; readonly groupPath: string }> {
  const member = await registerColleague(api, owner, 'member');
  const groups = '/api/permissions/groups';
  const group = { name: `Narrow ${member.id}`, permissions };
  const groupPath = `${groups}/${created(await owner.client.post<{ id: string }>(groups, group))}`;
  await owner.client.send('PUT', `${groupPath}/members`, { user_ids: [member.id] });
  return { member, groupPath };
}
