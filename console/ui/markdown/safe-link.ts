/** An address that a foreign text may lead to, and where that is. */
export interface SafeLink {
  readonly href: string;
  /** The host, or the address of a mail. */
  readonly destination: string;
}

/**
 * Returns the link of an address in a foreign text; `undefined` when it must not be one: only pages and mail, and only
 * in full, because whoever wrote the text does not know this page.
 */
export function safeLink(address: string): SafeLink | undefined {
  const url = URL.parse(address.trim());
  if (url === null) return undefined;
  if (url.protocol === 'mailto:') return { href: url.href, destination: url.pathname };
  // A name and a password before the host make it look like another one.
  const isPage = (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '';
  return isPage ? { href: url.href, destination: url.host } : undefined;
}
