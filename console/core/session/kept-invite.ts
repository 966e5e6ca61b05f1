import { tabStorage } from '../browser/browser.ts';

const KEY = 'everturn.invite';

/**
 * Returns the token of the invite that the address names, and keeps it for this tab: who signs in first comes back
 * without it in the address.
 */
export function takeInvite(): string | undefined {
  const named = new URL(window.location.href).searchParams.get('token');
  if (named !== null) tabStorage.write(KEY, named);
  return named ?? tabStorage.read(KEY);
}

/** Forgets the invite, once it was used, is found to be gone, or its holder has left. */
export function dropInvite(): void {
  tabStorage.remove(KEY);
}
