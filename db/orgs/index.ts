export { heldByOwner, lockForOwner } from './held-by-owner.ts';
export { getMember, listMembers } from './members.ts';
export {
  addMember,
  changePolicies,
  deleteMembership,
  deleteMemberships,
  lockRights,
  setMemberRole,
} from './memberships.ts';
export {
  createOrg,
  deleteOrgRow,
  forgetPurgedOrg,
  getOrg,
  insertOrg,
  listOrgs,
  markOrgDeleted,
  switchOrg,
  updateOrg,
} from './orgs.ts';
export { requireRoom, requireRoomForApiKey, requireRoomForInvite, requireRoomForOrg } from './require-room.ts';
