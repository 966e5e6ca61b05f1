/** The states of a sign-in at a provider. */
export const SIGN_IN_STATUSES = ['pending', 'awaiting_code', 'verifying', 'ready', 'failed', 'expired'] as const;

export type SignInStatus = (typeof SIGN_IN_STATUSES)[number];

/** How often a person may send a code in one sign-in. */
export const MAX_CODE_TRIES = 5;
