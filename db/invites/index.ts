export { acceptInvite, redeemInvite, registerInvited } from './accept-invite.ts';
export {
  createInvite,
  findInvite,
  type FoundInvite,
  type Invite,
  listInvites,
  removeInvitesBeyond,
  removeInvitesOf,
  removeInvitesOfOrg,
  revokeInvite,
} from './invites.ts';
