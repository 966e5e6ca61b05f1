/**
 * Appends a path to an account's `base_url` and keeps its query. An invalid address is left for the guard to reject.
 */
export function endpoint(baseUrl: string, path: string, query: Readonly<Record<string, string>> = {}): string {
  if (!URL.canParse(baseUrl)) return baseUrl + path;
  const url = new URL(baseUrl);
  url.pathname = withoutSlash(url.pathname) + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Returns the address with the version that a wire format's paths begin with; people write it or leave it out. */
export function withVersion(baseUrl: string, version: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  const path = withoutSlash(url.pathname);
  url.pathname = /\/v\d+(?:(?:alpha|beta)\d*)?$/.test(path) ? path : `${path}/${version}`;
  return url.href;
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
