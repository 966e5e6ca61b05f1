import type { Role } from '../../domain/permissions/index.ts';

/** An organization as one of its members sees it. */
export interface Org {
  readonly id: string;
  readonly name: string;
  readonly icon: string;
  readonly color: string;
  /** The role of that member. */
  readonly role: Role;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns of `Org`, for statements that select from `orgs o` and `memberships m`. */
export const ORG_COLUMNS = `o.id, o.name, o.icon, o.color, m.role, o.created_at as "createdAt", o.updated_at as "updatedAt"`;
