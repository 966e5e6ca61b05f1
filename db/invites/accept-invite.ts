import { AppError, notFound } from '../../domain/core/app-error.ts';
import { createDeviceKey } from '../api-keys.ts';
import { afterCommit } from '../core/after-commit.ts';
import type { Database } from '../core/database.ts';
import { type Transaction, withSystemTransaction } from '../core/transactions.ts';
import { createDevice, type StoredToken } from '../device-tokens.ts';
import { addMember } from '../orgs/memberships.ts';
import { insertPassword } from '../passwords.ts';
import { endSessionsOf, openSession, type Session } from '../sessions.ts';
import { insertManagedUser, IS_PASSWORDLESS, removeAddress } from '../users/user.ts';
import { settleUser } from '../users/settle-user.ts';
import { type InvitedRole, IS_OPEN } from './invites.ts';

/**
 * Makes a signed-in user a member of the inviting organization, and consumes the invite. Rejects an invite that is
 * bound to another address, and a user who is a member already; the invite then stays valid. Returns the organization's
 * id.
 */
export async function acceptInvite(database: Database, userId: string, inviteId: string): Promise<{ orgId: string }> {
  return withSystemTransaction(database, async (transaction) => {
    const invite = await useInvite(transaction, inviteId);
    // The organization that managed the account no longer does: its user has joined on their own.
    const email = await settleUser(transaction, { orgId: invite.orgId, userId });
    if (email === undefined) throw notFound('User');
    if (invite.email !== null && email !== invite.email) {
      throw new AppError('forbidden', 'This invite is for another e-mail address');
    }
    const isNew = await addMember(transaction, { orgId: invite.orgId, userId }, invited(invite));
    if (!isNew) throw new AppError('conflict', 'You already are a member of this organization');
    return { orgId: invite.orgId };
  });
}

const invited = ({ role, email }: UsedInvite) => ({ role, invitedEmail: email });

/** The contents of a consumed invite. */
interface UsedInvite {
  readonly orgId: string;
  readonly orgName: string;
  readonly role: InvitedRole;
  readonly email: string | null;
  readonly fullName: string;
}

/**
 * Consumes an invite, if the transaction commits. Of several at once the first gets it; the others wait, and get it
 * only if that one fails. `not_found` when it can no longer be used.
 */
async function useInvite(transaction: Transaction, inviteId: string): Promise<UsedInvite> {
  const { rows } = await transaction.query<UsedInvite>(
    `update invites i set used_at = now(), updated_at = now() from orgs o
      where i.id = $1 and ${IS_OPEN} and o.id = i.org_id and o.deleted_at is null
      returning i.org_id as "orgId", o.name as "orgName", i.role, i.email, i.full_name as "fullName"`,
    [inviteId],
  );
  const [invite] = rows;
  if (invite === undefined) throw notFound('Invite');
  afterCommit(transaction, {
    changed: [{ orgId: invite.orgId, resource: 'invites', id: inviteId, action: 'deleted' }],
  });
  return invite;
}

interface Redemption {
  readonly inviteId: string;
  readonly device: { readonly name: string; readonly platform: string; readonly lifetimeSeconds: number };
  readonly deviceToken: StoredToken;
  readonly apiKey: StoredToken & { readonly hint: string };
  /** Whether an account may be created for an address without one. */
  readonly mayRegister: boolean;
}

/** The result of redeeming an invite on a device. */
interface Redeemed {
  readonly orgId: string;
  readonly orgName: string;
  readonly userId: string;
  readonly isNewAccount: boolean;
  readonly deviceId: string;
  readonly apiKeyId: string;
  readonly session: Session;
}

/**
 * Signs a device in with an invite that is bound to an address: creates the address's account, or takes one that this
 * organization manages, makes it a member, gives the device its credentials and consumes the invite; all of it or
 * nothing. Any other account is rejected: an invite gives no access to an existing account.
 */
export async function redeemInvite(database: Database, input: Redemption): Promise<Redeemed> {
  return withSystemTransaction(database, async (transaction) => {
    const invite = await useInvite(transaction, input.inviteId);
    const { userId, isNewAccount } = await findAccount(transaction, invite, input.mayRegister);
    await addMember(transaction, { orgId: invite.orgId, userId }, invited(invite));
    const session = await openSession(transaction, {
      userId,
      lifetimeSeconds: input.device.lifetimeSeconds,
      boundOrgId: invite.orgId,
    });
    const { orgId, orgName } = invite;
    const stored = await storeCredentials(transaction, { orgId, userId, sessionId: session.id }, input);
    return { orgId, orgName, userId, isNewAccount, ...stored, session };
  });
}

async function findAccount(transaction: Transaction, { email, orgId, fullName }: UsedInvite, mayRegister: boolean) {
  if (email === null) {
    throw new AppError('conflict', 'This invite is not bound to an address; open its link in a browser to use it');
  }
  const account = await lockAccount(transaction, { email, orgId });
  if (account?.isManagedHere === true) return { userId: account.id, isNewAccount: false };
  if (account?.isAbandoned === false) throw notTheirs();
  if (!mayRegister) throw new AppError('forbidden', 'Registration is closed on this server');
  if (account !== undefined) await freeAddress(transaction, account.id);
  const userId = await createManagedAccount(transaction, { email, fullName, passwordHash: null, orgId });
  if (userId === undefined) throw new AppError('conflict', 'The account is just being created; try again');
  return { userId, isNewAccount: true };
}

function notTheirs(): AppError {
  const words = 'The address of this invite already has an account; sign in to it and accept the invite there';
  return new AppError('conflict', words);
}

async function storeCredentials(
  transaction: Transaction,
  owner: { orgId: string; userId: string; sessionId: string },
  { device, deviceToken, apiKey }: Redemption,
): Promise<Pick<Redeemed, 'deviceId' | 'apiKeyId'>> {
  const apiKeyId = await createDeviceKey(transaction, owner, { ...apiKey, name: device.name });
  const { name, platform } = device;
  const deviceId = await createDevice(transaction, { ...owner, apiKeyId, name, platform }, deviceToken);
  return { deviceId, apiKeyId };
}

interface InvitedRegistration {
  readonly inviteId: string;
  /** Lower-cased, as all stored addresses are. */
  readonly email: string;
  /** Empty for the name in the invite. */
  readonly fullName: string;
  readonly passwordHash: string;
}

/**
 * Creates an account that the inviting organization manages, makes it a member and consumes the invite; all of it or
 * nothing. Rejects an address that the invite is not for, and one that has an account.
 */
export async function registerInvited(database: Database, input: InvitedRegistration): Promise<{ userId: string }> {
  return withSystemTransaction(database, async (transaction) => {
    const invite = await useInvite(transaction, input.inviteId);
    if (invite.email !== null && invite.email !== input.email) {
      throw new AppError('forbidden', 'This invite is for another e-mail address');
    }
    const userId = await makeAccount(transaction, invite, input);
    if (userId === undefined) throw accountExists();
    await addMember(transaction, { orgId: invite.orgId, userId }, invited(invite));
    return { userId };
  });
}

async function makeAccount(transaction: Transaction, invite: UsedInvite, input: InvitedRegistration) {
  const fullName = input.fullName === '' ? invite.fullName : input.fullName;
  const fields = { fullName, passwordHash: input.passwordHash, orgId: invite.orgId };
  const account = await lockAccount(transaction, { email: input.email, orgId: invite.orgId });
  if (account?.isAbandoned === false) throw accountExists();
  if (account !== undefined) await freeAddress(transaction, account.id);
  return createManagedAccount(transaction, { email: input.email, ...fields });
}

function accountExists(): AppError {
  return new AppError('conflict', 'An account with this e-mail address already exists; sign in and accept the invite');
}

/** The facts that decide whether an invite may give credentials for an account. */
interface InvitedAccount {
  readonly id: string;
  /** Whether nobody can sign in to it and it belongs to no organization. */
  readonly isAbandoned: boolean;
  /** A plain member's account without a password, managed by this organization and in no other. */
  readonly isManagedHere: boolean;
}

/** Returns the account of an address, locked until the transaction ends. */
async function lockAccount(
  transaction: Transaction,
  { email, orgId }: { email: string; orgId: string },
): Promise<InvitedAccount | undefined> {
  const { rows } = await transaction.query<Omit<InvitedAccount, 'isAbandoned' | 'isManagedHere'> & AccountRow>(
    `select id, ${IS_PASSWORDLESS} as "isPasswordless", managed_org_id = $2 as "isOurs"
      from users u where email = $1 for update`,
    [email, orgId],
  );
  const [account] = rows;
  if (account === undefined) return undefined;
  // Read only now, so that changes of a transaction that this one waited for are seen.
  const { rows: memberships } = await transaction.query<{ orgId: string; isHigh: boolean }>(
    `select org_id as "orgId", role in ('admin', 'owner') as "isHigh" from memberships where user_id = $1 for share`,
    [account.id],
  );
  const [first, ...others] = memberships;
  const isPlainHere = first?.orgId === orgId && !first.isHigh && others.length === 0;
  return {
    id: account.id,
    isAbandoned: account.isPasswordless && memberships.length === 0,
    isManagedHere: account.isOurs === true && account.isPasswordless && isPlainHere,
  };
}

interface AccountRow {
  readonly isPasswordless: boolean;
  readonly isOurs: boolean | null;
}

interface ManagedAccount {
  readonly email: string;
  readonly fullName: string;
  /** Null for an account whose user signs in by device only. */
  readonly passwordHash: string | null;
  readonly orgId: string;
}

/** Creates an account that the organization manages; returns undefined when its address has just been taken. */
async function createManagedAccount(
  transaction: Transaction,
  { email, fullName, passwordHash, orgId }: ManagedAccount,
): Promise<string | undefined> {
  const userId = await insertManagedUser(transaction, { email, fullName, orgId });
  if (userId !== undefined && passwordHash !== null) await insertPassword(transaction, userId, passwordHash);
  return userId;
}

/**
 * Frees the address of an abandoned account. The account and its records stay as they are: the next owner of the
 * address may be somebody else.
 */
async function freeAddress(transaction: Transaction, userId: string): Promise<void> {
  await endSessionsOf(transaction, userId);
  await removeAddress(transaction, userId);
}
