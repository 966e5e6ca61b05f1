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
  const way = authorization.find((each) => fieldsOf(each).every((field) => secrets[field] !== undefined));
  return way && headersOf(way, secrets);
}

function fieldsOf(way: Authorization): readonly string[] {
  return way.in === 'basic' ? [way.user, way.password] : [way.field];
}

function headersOf(way: Authorization, secrets: Secrets): Readonly<Record<string, string>> {
  if (way.in === 'header') {
    const { name = 'Authorization', prefix = 'Bearer ', field } = way;
    return { [name]: `${prefix}${secrets[field] ?? ''}` };
  }
  const pair = `${secrets[way.user] ?? ''}:${secrets[way.password] ?? ''}`;
  return { Authorization: `Basic ${btoa(String.fromCodePoint(...new TextEncoder().encode(pair)))}` };
}

/** Returns the values that answers are searched for: the secrets without what goes along with them and is none. */
export function maskedValues({ fields }: Pick<IntegrationKind, 'fields'>, secrets: Secrets): readonly string[] {
  const plain = new Set((fields ?? []).filter(({ isPlain }) => isPlain === true).map(({ name }) => name));
  return Object.entries(secrets).flatMap(([name, value]) => (plain.has(name) ? [] : [value]));
}
