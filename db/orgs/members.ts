import type { Membership } from '../../domain/orgs/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import type { Role } from '../../domain/permissions/index.ts';
import { type Database, type Listed, type Page, readPage } from '../core/index.ts';

/** A member of an organization. */
export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly fullName: string;
  readonly role: Role;
  readonly isManaged: boolean;
  readonly joinedAt: Date;
}

const MEMBER = `m.user_id as "userId", u.email, u.full_name as "fullName", m.role, m.created_at as "joinedAt",
  coalesce(u.managed_org_id = m.org_id and m.role in ('viewer', 'member'), false) as "isManaged"`;

/** Returns the members in the order in which they joined. */
export async function listMembers({ tenant }: Database, orgId: string, page: Page): Promise<Listed<Member>> {
  return readPage<Member>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-members',
    columns: MEMBER,
    bytes: '200 + octet_length(u.email) + octet_length(u.full_name)',
    source: 'from memberships m join users u on u.id = m.user_id where m.org_id = $1',
    total: '(select count(*) from memberships where org_id = $1)',
    order: 'm.created_at, m.user_id',
    values: [orgId],
    page,
  });
}

/** Returns one member; `not_found` for anybody else. */
export async function getMember({ tenant }: Database, { orgId, userId }: Membership): Promise<Member> {
  const [member] = await tenant.query<Member>(orgId, {
    name: 'get-member',
    text: `select ${MEMBER} from memberships m join users u on u.id = m.user_id where m.org_id = $1 and m.user_id = $2`,
    values: [orgId, userId],
  });
  if (member === undefined) throw notFound('Member');
  return member;
}
