export { deleteAccount } from './delete-account.ts';
export { deleteOrg } from './delete-org.ts';
export { changeMemberRole, getMember, leaveOrg, listMembers, removeMember } from './members.ts';
export { createOrg, getOrg, listOrgs, switchOrg, updateOrg } from './orgs.ts';
export { findDeletedOrgs, hasOrgRecord, purgeOrg } from './purge-org.ts';
export { countUsage } from './count-usage.ts';
export { requireRoom, requireRoomForApiKey, requireRoomForInvite } from './require-room.ts';
