import { AppError } from '../../domain/core/app-error.ts';
import { createDeviceKey } from '../api-keys/index.ts';
import { type Database, withSystemTransaction, type Transaction } from '../core/index.ts';
import { createDevice, type StoredToken } from '../device-tokens/index.ts';
import { openSession, type Session } from '../sessions/index.ts';
import { addMember } from '../orgs/index.ts';
import { createManagedAccount, freeAddress, lockAccount } from './managed-account.ts';
import { type UsedInvite, useInvite } from './use-invite.ts';

interface Redemption {
  readonly inviteId: string;
  readonly device: { readonly name: string; readonly platform: string; readonly lifetimeSeconds: number };
  readonly deviceToken: StoredToken;
  readonly apiKey: StoredToken & { readonly hint: string };
  /** Whether an account may be created for an address without one. */
  readonly mayRegister: boolean;
}

/** The result of redeeming an invite on a device. */
export interface Redeemed {
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
    await addMember(transaction, { orgId: invite.orgId, userId }, invite.role);
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
  place: { orgId: string; userId: string; sessionId: string },
  { device, deviceToken, apiKey }: Redemption,
): Promise<Pick<Redeemed, 'deviceId' | 'apiKeyId'>> {
  const apiKeyId = await createDeviceKey(transaction, place, { ...apiKey, name: device.name });
  const { name, platform } = device;
  const deviceId = await createDevice(transaction, { ...place, apiKeyId, name, platform }, deviceToken);
  return { deviceId, apiKeyId };
}
