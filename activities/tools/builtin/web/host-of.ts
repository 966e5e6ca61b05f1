/** Returns the host of an address for a label; of a text that is no address its beginning. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url.slice(0, 100);
}
