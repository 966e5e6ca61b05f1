import type { Authorization, IntegrationKind } from './integration-kind.ts';
import type { Secrets } from './known-integration.ts';

/**
 * Returns the headers with which requests of a kind carry these credentials; undefined when they are not all there for
 * any of its ways. A kind without any way needs none.
 */
export function authorizationHeaders(
  { authorization }: Pick<IntegrationKind, 'authorization'>,
  secrets: Secrets,
): Readonly<Record<string, string>> | undefined {
  if (authorization.length === 0) return {};
  const way = completeWay(authorization, secrets);
  return way && headersOf(way, secrets);
}

/** Returns what stands between the address of an API and the paths of requests that carry these credentials. */
export function authorizationPath({ authorization }: Pick<IntegrationKind, 'authorization'>, secrets: Secrets): string {
  const way = completeWay(authorization, secrets);
  if (way?.in !== 'path') return '';
  // Colons stand in paths as they are, and some servers compare the text.
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
