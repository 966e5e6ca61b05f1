import { notFound } from '../../domain/core/app-error.ts';
import type { Database } from '../core/database.ts';
import { type User, USER_COLUMNS, type UserOrg } from './user.ts';

/** Returns a user with the organizations they belong to, by name. */
export async function getUser({ system }: Database, userId: string): Promise<User & { orgs: UserOrg[] }> {
  const { rows } = await system.query<User & { orgs: UserOrg[] }>({
    name: 'get-user',
    text: `select ${USER_COLUMNS}, coalesce(
        (select json_agg(json_build_object('id', o.id, 'name', o.name, 'role', m.role) order by o.name, o.id)
         from memberships m join orgs o on o.id = m.org_id where m.user_id = u.id), '[]') as orgs
      from users u where u.id = $1`,
    values: [userId],
  });
  const [user] = rows;
  if (user === undefined) throw notFound('User');
  return user;
}
