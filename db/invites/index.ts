export { acceptInvite } from './accept-invite.ts';
export type { Invite } from './invite.ts';
export {
  createInvite,
  findInvite,
  type FoundInvite,
  listInvites,
  revokeInvite,
  removeInvitesBeyond,
  removeInvitesOf,
  removeInvitesOfOrg,
} from './invites.ts';
export { redeemInvite } from './redeem-invite.ts';
export { registerInvited } from './register-invited.ts';
