import { v7 as uuidv7 } from 'uuid';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { roleHasChanged } from '../../domain/orgs.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import type { Database } from '../core/database.ts';
import { type Listed, type Page, readPage } from '../core/page.ts';
import type { Transaction } from '../core/transactions.ts';
import type { StoredToken } from '../device-tokens.ts';
import { IS_PASSWORDLESS } from '../users/user.ts';

interface NewInvite {
  readonly orgId: string;
  readonly createdBy: string;
  readonly role: InvitedRole;
  readonly email: string | null;
  readonly fullName: string;
  readonly lifetimeSeconds: number;
}

/**
 * Stores an invite by the hash of its token. Rejects an address that belongs to the organization already, and a creator
 * who has just lost the right to grant the role. Members without a password, whom the organization manages, can be
 * invited again: that is how they get another device.
 */
export async function createInvite(
  transaction: Transaction,
  input: NewInvite,
  { publicId, secretHash }: StoredToken,
): Promise<Invite> {
  const { orgId, createdBy, role, email, fullName, lifetimeSeconds } = input;
  const { rows: invites } = await transaction.query<Invite>(
    // Locked, so that no invite is made while its creator is being removed.
    `with creator as (
          select user_id from memberships
          where org_id = $2 and user_id = $3 and (role = 'owner' or (role = 'admin' and $4 <> 'admin')) for share
        )
        insert into invites as i (id, org_id, created_by, role, email, full_name, public_id, secret_hash, expires_at)
        select $1, $2, user_id, $4, $5, $6, $7, $8, now() + $9 * interval '1 second' from creator
        where not exists (
          select from memberships m join users u on u.id = m.user_id where m.org_id = $2 and u.email = $5
            and not (${IS_PASSWORDLESS} and u.managed_org_id = $2 and m.role in ('viewer', 'member'))
        )
        returning ${INVITE_COLUMNS}`,
    [uuidv7(), orgId, createdBy, role, email, fullName, publicId, secretHash, lifetimeSeconds],
  );
  const [invite] = invites;
  if (invite !== undefined) return invite;
  const { rows: members } = await transaction.query(
    'select from memberships m join users u on u.id = m.user_id where m.org_id = $1 and u.email = $2',
    [orgId, email],
  );
  if (members.length > 0) throw new AppError('conflict', 'This address already belongs to a member');
  throw roleHasChanged();
}

/** Returns the invites that can still be used, newest first. */
export async function listInvites({ tenant }: Database, orgId: string, page: Page): Promise<Listed<Invite>> {
  return readPage<Invite>(async (statement) => tenant.query(orgId, statement), {
    name: 'list-invites',
    columns: INVITE_COLUMNS,
    bytes: '300 + octet_length(i.full_name) + coalesce(octet_length(i.email), 0)',
    source: `from invites i where i.org_id = $1 and ${IS_OPEN}`,
    order: 'i.id desc',
    values: [orgId],
    page,
  });
}

/**
 * Revokes an invite; `not_found` also when it was used or has expired, `forbidden` when it gives a role that is not
 * among `roles`.
 */
export async function revokeInvite(
  { tenant }: Database,
  { orgId, id }: { orgId: string; id: string },
  roles: readonly InvitedRole[],
): Promise<void> {
  const [deleted, left] = await tenant.series(orgId, [
    {
      text: `delete from invites i where i.id = $1 and i.org_id = $2 and i.role = any($3) and ${IS_OPEN} returning id`,
      values: [id, orgId, roles],
    },
    { text: `select from invites i where i.id = $1 and i.org_id = $2 and ${IS_OPEN}`, values: [id, orgId] },
  ]);
  if ((deleted ?? []).length > 0) return;
  if ((left ?? []).length > 0) throw new AppError('forbidden', 'Only the owner may revoke the invite of an admin');
  throw notFound('Invite');
}

/** An invite as its holder sees it. */
export interface FoundInvite {
  readonly id: string;
  readonly orgName: string;
  readonly role: InvitedRole;
  readonly email: string | null;
  readonly fullName: string;
  readonly secretHash: Buffer;
}

/** Returns the invite with this public part, while it can be used; the caller compares the secret. */
export async function findInvite({ system }: Database, publicId: string): Promise<FoundInvite | undefined> {
  const { rows } = await system.query<FoundInvite>({
    name: 'find-invite',
    text: `select i.id, o.name as "orgName", i.role, i.email, i.full_name as "fullName", i.secret_hash as "secretHash"
      from invites i join orgs o on o.id = i.org_id where i.public_id = $1 and ${IS_OPEN}`,
    values: [publicId],
  });
  return rows[0];
}

/** Removes the unused invites that a member has made. */
export async function removeInvitesOf(
  transaction: Transaction,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
): Promise<void> {
  await transaction.query('delete from invites where org_id = $1 and created_by = $2 and used_at is null', [
    orgId,
    userId,
  ]);
}

/** Removes the unused invites of a member that they could no longer make with this role. */
export async function removeInvitesBeyond(
  transaction: Transaction,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
  role: Role,
): Promise<void> {
  await transaction.query(
    `delete from invites where org_id = $1 and created_by = $2 and used_at is null
      and not ($3 = 'owner' or ($3 = 'admin' and role <> 'admin'))`,
    [orgId, userId, role],
  );
}

/** Removes all invites into an organization. */
export async function removeInvitesOfOrg(transaction: Transaction, orgId: string): Promise<void> {
  await transaction.query('delete from invites where org_id = $1', [orgId]);
}

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
const INVITE_COLUMNS = `i.id, i.role, i.email, i.full_name as "fullName", i.created_by as "createdBy",
  i.expires_at as "expiresAt", i.created_at as "createdAt", i.updated_at as "updatedAt"`;

/** The condition for invites that can still be used. */
export const IS_OPEN = 'i.used_at is null and i.expires_at > now()';
