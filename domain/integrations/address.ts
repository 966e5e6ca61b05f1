import type { Authorization, IntegrationKind, Secrets } from './integration-kind.ts';
import { integrationKind, type IntegrationKindKey } from './kinds/index.ts';

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
 * Returns whether a request to `url` goes to the server of `base`, and to its path or below it: the only requests with
 * which a secret of an integration may be sent. Some servers decode a path before they inspect its parts, so it must
 * lie within the base in both readings.
 */
export function isWithin(base: string, url: string): boolean {
  const [outer, inner] = [URL.parse(base), URL.parse(url)];
  if (outer === null || inner === null || outer.origin !== inner.origin) return false;
  if (inner.username !== '' || inner.password !== '') return false;
  const folder = withoutSlashes(outer.pathname);
  const lies = (path: string | undefined) => path === folder || path?.startsWith(`${folder}/`) === true;
  return lies(inner.pathname) && lies(decodedPath(inner));
}

// Resolved again, because decoding may yield further dots and slashes.
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

/** The part of an address after the host, decoded for protocols other than HTTP; or why it is invalid. */
type ReadPath = { readonly path: string } | { readonly issue: string };

/** Returns the path of an address without slashes around it and without escapes. The issue follows `base_url`. */
export function readAddressPath({ path: wanted }: Pick<IntegrationKind, 'path'>, address: URL): ReadPath {
  const path = decoded(
    address.pathname
      .split('/')
      .filter((part) => part !== '')
      .join('/'),
  );
  if (path === undefined) return { issue: 'must not contain escapes (%) of what is no text' };
  // They end a text, or a line, of the protocols that the path is written into.
  if (/\p{Cc}/u.test(path)) return { issue: 'must not contain control characters, nor escapes of them' };
  return wanted?.pattern.test(path) === false ? { issue: wanted.issue } : { path };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the headers that authorize requests of a kind with these credentials; undefined when each of its ways lacks
 * one. A kind without any way needs none.
 */
export function authorizationHeaders(
  { authorization }: Pick<IntegrationKind, 'authorization'>,
  secrets: Secrets,
): Readonly<Record<string, string>> | undefined {
  if (authorization.length === 0) return {};
  const way = completeWay(authorization, secrets);
  return way && headersOf(way, secrets);
}

/**
 * Returns the path prefix that authorizes requests with these credentials, between the address of the API and their own
 * path.
 */
export function authorizationPath({ authorization }: Pick<IntegrationKind, 'authorization'>, secrets: Secrets): string {
  const way = completeWay(authorization, secrets);
  if (way?.in !== 'path') return '';
  // Colons are left as they are in paths, and some servers compare the text.
  return `${way.prefix}${encodeURIComponent(secrets[way.field] ?? '').replaceAll('%3A', ':')}`;
}

function completeWay(ways: readonly Authorization[], secrets: Secrets): Authorization | undefined {
  return ways.find((each) => fieldsOf(each).every((field) => secrets[field] !== undefined));
}

function fieldsOf(way: Authorization): readonly string[] {
  if (way.in === 'nothing') return [];
  return way.in === 'basic' ? [way.user, way.password] : [way.field];
}

function headersOf(way: Authorization, secrets: Secrets): Readonly<Record<string, string>> {
  if (way.in === 'path' || way.in === 'nothing') return {};
  if (way.in === 'header') {
    const { name = 'Authorization', prefix = 'Bearer ', field } = way;
    return { [name]: `${prefix}${secrets[field] ?? ''}` };
  }
  const pair = `${secrets[way.user] ?? ''}:${secrets[way.password] ?? ''}`;
  return { Authorization: `Basic ${btoa(String.fromCodePoint(...new TextEncoder().encode(pair)))}` };
}
