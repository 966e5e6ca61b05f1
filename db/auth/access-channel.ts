/**
 * Channel on which the api processes hear which users' rights or credentials have changed, and which chats fewer people
 * may read: an id of a user, a chat or an organization.
 */
export const ACCESS_CHANNEL = 'access_changed';
