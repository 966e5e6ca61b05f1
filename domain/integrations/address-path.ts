import type { IntegrationKind } from './integration-kind.ts';

/** What follows the host of an address, as it is sent where the protocol is not HTTP; or why it is none. */
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
