import type { Membership } from '../../domain/orgs/index.ts';
import { wakeWaitingRuns } from '../agent-workflows/index.ts';
import { deleteKeysOfUser } from '../api-keys/index.ts';
import type { Transaction } from '../core/index.ts';
import { removeDevices } from '../device-tokens/index.ts';
import { removeInvitesOf } from '../invites/index.ts';
import { deleteMembership } from '../orgs/index.ts';
import { removePasswordLinks } from '../passwords/index.ts';
import { discardTrialsOf } from '../providers/index.ts';
import { stopTurns } from '../turns/index.ts';
import { detachUser } from '../users/index.ts';

/**
 * Ends a membership with everything that depended on it: the user's keys, devices and open invites of the organization,
 * password links by or for them, and accounts that they have on trial. Their running turns there are asked to stop,
 * their runs that wait for a decision end, the organization manages their account no longer, and another of their
 * organizations becomes their active one.
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
  await discardTrialsOf(transaction, membership);
  await stopTurns(transaction, membership);
  await wakeWaitingRuns(transaction, membership);
}
