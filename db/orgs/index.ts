export {
  heldByOwner,
  lockForOwner,
  requireRoom,
  requireRoomForApiKey,
  requireRoomForInvite,
  requireRoomForOrg,
} from './require-room.ts';
export {
  addMember,
  changePolicies,
  deleteMembership,
  deleteMemberships,
  getMember,
  listMembers,
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
