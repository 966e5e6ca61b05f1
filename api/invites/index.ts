export { findInviteByToken } from './find-invite.ts';
export { inviteRoutes } from './routes.ts';
