/** The ways to sign in to a provider. */
export const AUTH_TYPES = ['apikey', 'oauth', 'none'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];
