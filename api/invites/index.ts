export { findInviteByToken } from './find-invite.ts';
