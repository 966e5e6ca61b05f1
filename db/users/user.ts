import type { Role } from '../../domain/permissions/index.ts';

/** A person's account. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly fullName: string;
  readonly isManaged: boolean;
  readonly activeOrgId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An organization as one of its members sees it. */
export interface UserOrg {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/**
 * Whether `users u` is bound to the organization that manages the account: owners and admins of any organization are
 * not, nor are users without an organization.
 */
export const IS_MANAGED = `(u.is_managed and exists (select from memberships own where own.user_id = u.id)
  and not exists (select from memberships own where own.user_id = u.id and own.role in ('admin', 'owner')))`;

/** Whether nobody can sign in to the account of `users u` with a password. Only system connections see it. */
export const IS_PASSWORDLESS = `(not exists (select from user_passwords p where p.user_id = u.id))`;

/** The columns of `User`, for statements that select from `users u`. */
export const USER_COLUMNS = `u.id, u.email, u.full_name as "fullName", ${IS_MANAGED} as "isManaged",
  u.active_org_id as "activeOrgId", u.created_at as "createdAt", u.updated_at as "updatedAt"`;
