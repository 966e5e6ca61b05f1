const KEY = 'everturn.invite';

/**
 * Returns the token of the invite that the address names, and keeps it for this tab: who signs in first comes back
 * without it in the address.
 */
export function takeInvite(): string | undefined {
  const named = new URL(window.location.href).searchParams.get('token');
  if (named !== null) sessionStorage.setItem(KEY, named);
  return named ?? sessionStorage.getItem(KEY) ?? undefined;
}

/** Forgets the invite, once it was used. */
export function dropInvite(): void {
  sessionStorage.removeItem(KEY);
}
