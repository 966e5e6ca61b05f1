import type { z } from 'zod';
import type { User, UserOrg } from '../../db/users/index.ts';
import type { userSchema } from './schema.ts';

/** A user as the API shows them to themselves. */
export function presentUser(user: User & { orgs: readonly UserOrg[] }): z.input<typeof userSchema> {
  return {
    id: user.id,
    email: user.email,
    full_name: user.fullName,
    is_managed: user.isManaged,
    active_org_id: user.activeOrgId,
    orgs: user.orgs.map(({ id, name, role }) => ({ id, name, role })),
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
  };
}
