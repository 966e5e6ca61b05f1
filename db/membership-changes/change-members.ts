import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../core/database.ts';
import { type Transaction, withSystemTransaction } from '../core/transactions.ts';
import { addMember, deleteMembership, setMemberRole } from '../orgs/memberships.ts';
import { insertOrg } from '../orgs/orgs.ts';
import { requireRoomForOrg } from '../orgs/require-room.ts';
import { insertPassword, removePasswordLinks } from '../passwords.ts';
import { detachUser, lockUser } from '../users/settle-user.ts';
import { insertUser, requireNoAccount } from '../users/user.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import {
  evaluateRoleChange,
  type Membership,
  type OrgLimits,
  rejectUnlessAbove,
  roleHasChanged,
} from '../../domain/orgs.ts';
import type { Role } from '../../domain/permissions/keys.ts';
import { wakeWaitingRuns } from '../agent-workflows/runs/run-queue.ts';
import { deleteKeysOfUser } from '../api-keys.ts';
import { removeDevices } from '../device-tokens.ts';
import { removeInvitesBeyond, removeInvitesOf } from '../invites/invites.ts';
import { discardTentativeAccountsOf } from '../providers/provider-accounts.ts';
import { stopTurns } from '../turns/request-interrupt.ts';

/** The caller, with the role that they were authorized with. */
interface Actor {
  readonly userId: string;
  readonly role: Role;
}

/**
 * Gives a member another role. `owner` hands the organization over: the former owner becomes an admin in the same
 * transaction. Rejects what the rules do not allow, and responds with a conflict when a concurrent change came first.
 */
export async function changeMemberRole(
  database: Database,
  actor: Actor,
  target: Membership,
  { to, limits }: { readonly to: Role; readonly limits: Pick<OrgLimits, 'orgs'> },
): Promise<void> {
  await withSystemTransaction(database, async (transaction) => {
    const action = await lockMemberAction(transaction, actor, target);
    const change = evaluateRoleChange(action, to);
    if (change === 'none') return;
    if (change === 'transfer') {
      await requireRoomForOrg(transaction, target.userId, limits, { isHandedOver: true });
      await setRole(transaction, { ...target, userId: actor.userId }, 'admin');
    }
    await setRole(transaction, target, to);
  });
}

/** Removes a member from the organization. Rejects what the rules do not allow. */
export async function removeMember(database: Database, actor: Actor, target: Membership): Promise<void> {
  await withSystemTransaction(database, async (transaction) => {
    await lockUser(transaction, target.userId);
    const action = await lockMemberAction(transaction, actor, target);
    if (action.target === 'owner' && actor.role === 'owner') throw ownerStays();
    rejectUnlessAbove(action);
    await endMembership(transaction, target);
  });
}

/** Removes the user from the organization at their own wish; the owner must hand it over first. */
export async function leaveOrg(database: Database, membership: Membership): Promise<void> {
  await withSystemTransaction(database, async (transaction) => {
    await lockUser(transaction, membership.userId);
    const roles = await lockRoles(transaction, membership.orgId, [membership.userId]);
    const role = roles.get(membership.userId);
    if (role === undefined) throw notFound('Organization');
    if (role === 'owner') throw ownerStays();
    await endMembership(transaction, membership);
  });
}

async function lockMemberAction(transaction: Transaction, actor: Actor, { orgId, userId }: Membership) {
  const roles = await lockRoles(transaction, orgId, [actor.userId, userId]);
  const target = roles.get(userId);
  if (target === undefined) throw notFound('Member');
  if (roles.get(actor.userId) !== actor.role) {
    throw roleHasChanged();
  }
  return { caller: actor.role, target, isSelf: actor.userId === userId };
}

// In the order of the ids, so that two callers who want each other's row do not deadlock.
async function lockRoles(transaction: Transaction, orgId: string, userIds: readonly string[]) {
  const { rows } = await transaction.query<{ userId: string; role: Role }>(
    `select user_id as "userId", role from memberships where org_id = $1 and user_id = any($2::uuid[])
      order by user_id for update`,
    [orgId, userIds],
  );
  return new Map(rows.map(({ userId, role }) => [userId, role]));
}

// Open invites and password links that the member could no longer make are removed with the role: they would let rights
// survive it.
async function setRole(transaction: Transaction, { orgId, userId }: Membership, role: Role): Promise<void> {
  await setMemberRole(transaction, { orgId, userId }, role);
  await removeInvitesBeyond(transaction, { orgId, userId }, role);
  if (role === 'admin' || role === 'owner') return;
  await removePasswordLinks(transaction, { orgId, userId });
}

function ownerStays(): AppError {
  return new AppError('conflict', 'The owner cannot leave; make another member the owner first');
}

/**
 * Ends a membership with everything that depended on it: the user's keys, devices and open invites of the organization,
 * password links by or for them, and their tentative accounts. Their running turns there are asked to stop, their runs
 * that wait for a decision end, the organization manages their account no longer, and another of their organizations
 * becomes their active one.
 */
export async function endMembership(transaction: Transaction, membership: Membership): Promise<void> {
  const { orgId, userId } = membership;
  await removeInvitesOf(transaction, membership);
  await removePasswordLinks(transaction, membership, { alsoFor: true });
  await removeDevices(transaction, membership);
  // After the sessions of devices: a key that was being made with one exists by now.
  await deleteKeysOfUser(transaction, userId, orgId);
  // After its devices, whose rows go with it: their sessions would stay.
  await deleteMembership(transaction, membership);
  await detachUser(transaction, membership);
  await discardTentativeAccountsOf(transaction, membership);
  await stopTurns(transaction, membership);
  await wakeWaitingRuns(transaction, membership);
}

interface NewUser {
  /** Lower-cased, as all stored addresses are. */
  readonly email: string;
  readonly fullName: string;
  readonly passwordHash: string;
  readonly orgName: string;
  /** Whether it must be the first account of all. */
  readonly isFirst?: boolean;
}

/**
 * Creates a user and an organization that they own. Throws `conflict` when the address has an account, `forbidden` when
 * it must be the first one and is not.
 */
export async function registerUser(database: Database, input: NewUser): Promise<{ userId: string }> {
  const orgId = uuidv7();
  return withSystemTransaction(database, async (transaction) => {
    if (input.isFirst === true) await requireNoAccount(transaction);
    await insertOrg(transaction, orgId, { name: input.orgName, icon: '', color: '' });
    const userId = await insertUser(transaction, { ...input, orgId });
    await insertPassword(transaction, userId, input.passwordHash);
    await addMember(transaction, { orgId, userId }, { role: 'owner', invitedEmail: null });
    return { userId };
  });
}
