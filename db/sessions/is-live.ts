/** Tells in SQL whether a session can still be used. */
export const IS_LIVE = 'revoked_at is null and expires_at > now()';
