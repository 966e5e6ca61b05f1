/** Returns the path in the workspace that an address in a text names; undefined for one that leads elsewhere, or up. */
export function workspacePathOf(address: string): string | undefined {
  const given = address.trim();
  if (URL.parse(given) !== null || /^[/\\#?]/.test(given)) return undefined;
  try {
    const parts = decodeURIComponent(given).split('/');
    const path = parts.filter((part) => part !== '.').join('/');
    return path === '' || parts.includes('..') ? undefined : path;
  } catch {
    return undefined;
  }
}
