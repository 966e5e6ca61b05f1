import { findInvite, type FoundInvite } from '../../db/invites/invites.ts';
import { notFound } from '../../domain/core/app-error.ts';
import type { ApiContext } from '../context/api-context.ts';
import { isTokenValue, publicPartOf } from '../access/tokens.ts';

/**
 * Returns the invite of a token. Any other text (no token, or one that is unknown, expired, used or revoked) gets the
 * same `not_found`; throws `limit_reached` when too many came from one address.
 */
export async function findInviteByToken(
  { database, limits }: Pick<ApiContext, 'database' | 'limits'>,
  { token, ip }: { token: string; ip: string },
): Promise<FoundInvite> {
  await limits.invitesOfAddress.check(ip);
  const publicId = publicPartOf('et_inv', token);
  const invite = publicId === undefined ? undefined : await findInvite(database, publicId);
  if (invite !== undefined && isTokenValue(token, invite.secretHash)) return invite;
  await limits.invitesOfAddress.take(ip);
  throw notFound('Invite');
}
