import type { Role } from '../../domain/permissions/index.ts';

/** A role that an invite can give. */
export type InvitedRole = Exclude<Role, 'owner'>;

/** An invitation into an organization, good for one use. */
export interface Invite {
  readonly id: string;
  readonly role: InvitedRole;
  /** The only address that may use it; null for an invite that can be passed on. */
  readonly email: string | null;
  readonly fullName: string;
  readonly createdBy: string;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns of `Invite`, for statements that select from `invites i`. */
export const INVITE_COLUMNS = `i.id, i.role, i.email, i.full_name as "fullName", i.created_by as "createdBy",
  i.expires_at as "expiresAt", i.created_at as "createdAt", i.updated_at as "updatedAt"`;

/** The condition for invites that can still be used. */
export const IS_OPEN = 'i.used_at is null and i.expires_at > now()';
