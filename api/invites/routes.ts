import { acceptInviteRoute } from './accept-invite.ts';
import { manageInvitesRoutes } from './manage-invites.ts';
import { showInviteRoute } from './show-invite.ts';

export const inviteRoutes = [showInviteRoute, ...manageInvitesRoutes, acceptInviteRoute];
