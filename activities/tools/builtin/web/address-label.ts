import { cut } from '../../../../domain/core/text.ts';

const MAX_CHARACTERS = 200;

/**
 * Returns host and path of an address for a label: two requests to one host are told apart. A query may hold secrets
 * and is left out.
 */
export function addressLabel(url: string): string {
  const address = URL.parse(url);
  const text = address === null ? url : `${address.host}${address.pathname}`;
  return text.length > MAX_CHARACTERS ? `${cut(text, MAX_CHARACTERS)}…` : text;
}
