import type { Role } from '../../domain/permissions/index.ts';

/** An organization as one of its members sees it. */
export interface Org {
  readonly id: string;
  readonly name: string;
  readonly icon: string;
  readonly color: string;
  /** Whether nobody approves calls and steps that are made in their own name. */
  readonly approvalsOtherPerson: boolean;
  /** The role of that member. */
  readonly role: Role;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns of `Org`, for statements that select from `orgs o` and `memberships m`. */
export const ORG_COLUMNS = `o.id, o.name, o.icon, o.color, o.approvals_other_person as "approvalsOtherPerson", m.role,
  o.created_at as "createdAt", o.updated_at as "updatedAt"`;
