const WWW = 'www.';

/**
 * Returns what stands for a code host in the ids of its records: ids are unique within one. It is of the address that
 * people see, which an integration may reach by another one.
 */
export function hostKeyOf(repoUrl: string): string {
  const host = URL.parse(repoUrl)?.host ?? '';
  return host.startsWith(WWW) ? host.slice(WWW.length) : host;
}
