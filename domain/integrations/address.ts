import { type IntegrationKindKey, integrationKind } from './kinds/index.ts';

/** An integration's kind, and the address that it names; null means that of the kind. */
interface Addressed {
  readonly kind: IntegrationKindKey;
  readonly baseUrl: string | null;
}

/** Returns the address that the paths of an integration's API are appended to, without a slash at its end. */
export function apiUrlOf({ kind, baseUrl }: Addressed): string {
  const { baseUrl: usual, apiPath } = integrationKind(kind);
  const address = withoutSlashes(baseUrl ?? usual ?? '');
  return address.endsWith(apiPath) ? address : `${address}${apiPath}`;
}

/** Returns the address of another server of an integration's service, which its kind knows by this name. */
export function siblingUrlOf(
  { kind, apiUrl }: { readonly kind: IntegrationKindKey; readonly apiUrl: string },
  name: string,
): string {
  return new Map(Object.entries(integrationKind(kind).siblings?.[name] ?? {})).get(apiUrl) ?? apiUrl;
}

/**
 * Returns the address that the repositories of an integration are below, as git finds them; undefined for one of a kind
 * that has none. GitHub has its API at a host, or below a path, of its own.
 */
export function gitUrlOf({ kind, apiUrl }: { readonly kind: IntegrationKindKey; readonly apiUrl: string }) {
  if (kind === 'git') return apiUrl;
  if (kind === 'gitlab' || kind === 'gitea') return withoutEnd(apiUrl, integrationKind(kind).apiPath);
  if (kind !== 'github') return undefined;
  return withoutEnd(apiUrl, '/api/v3').replace(/^https:\/\/api\./, 'https://');
}

/**
 * Returns whether a request to `url` goes to the server of `base`, and to its path or below it: the only requests that
 * a secret of an integration may go along with. Some servers decode a path before they look at its parts, so it has to
 * lie there in both readings.
 */
export function isWithin(base: string, url: string): boolean {
  const [outer, inner] = [URL.parse(base), URL.parse(url)];
  if (outer === null || inner === null || outer.origin !== inner.origin) return false;
  if (inner.username !== '' || inner.password !== '') return false;
  const folder = withoutSlashes(outer.pathname);
  const lies = (path: string | undefined) => path === folder || path?.startsWith(`${folder}/`) === true;
  return lies(inner.pathname) && lies(decodedPath(inner));
}

// Resolved again, because what was decoded may hold further dots and slashes.
function decodedPath({ origin, pathname }: URL): string | undefined {
  try {
    return URL.parse(`${origin}${decodeURIComponent(pathname)}`)?.pathname;
  } catch {
    return undefined;
  }
}

function withoutEnd(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, -end.length) : text;
}

function withoutSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
