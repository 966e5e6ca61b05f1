import { heldByOwner } from '../../orgs/index.ts';

/** The condition on which an organization may store further messages; a limit of null is none. */
export const hasRoomForMessages = (orgId: string, maxBytes: string) =>
  `(${heldByOwner(orgId, 'message_bytes')} >= ${maxBytes}::bigint) is not true`;
