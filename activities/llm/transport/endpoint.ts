/** The address of a path below an account's `base_url`, whose query is kept; what is no address is left to the guard. */
export function endpoint(baseUrl: string, path: string, query: Readonly<Record<string, string>> = {}): string {
  if (!URL.canParse(baseUrl)) return baseUrl + path;
  const url = new URL(baseUrl);
  url.pathname = withoutSlash(url.pathname) + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** The address with the version that a wire format's paths begin with, which people leave out or write down. */
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
