/** The path of the three routes that a browser sends the cookie to; no other request carries it. */
export const BROWSER_SESSION_PATH = '/api/auth/browser-session';

/**
 * Returns the value of the `Set-Cookie` header that keeps a secret in a browser, or removes it when it is undefined.
 */
export function browserCookie(publicUrl: string, secret: string | undefined, lifetimeSeconds: number): string {
  const isSecure = isOverTls(publicUrl);
  return [
    `${cookieName(isSecure)}=${secret ?? ''}`,
    `Path=${BROWSER_SESSION_PATH}`,
    `Max-Age=${secret === undefined ? 0 : lifetimeSeconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
}

/** Returns the secret in a request's `Cookie` header. */
export function secretOfCookies(publicUrl: string, header: string | undefined): string | undefined {
  const wanted = `${cookieName(isOverTls(publicUrl))}=`;
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length);
}

// The prefix makes browsers refuse the name to anything but TLS.
function cookieName(isSecure: boolean): string {
  return isSecure ? '__Secure-everturn' : 'everturn';
}

function isOverTls(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
