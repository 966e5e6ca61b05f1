import { entriesOf } from '../core/objects/entries-of.ts';

/** The origins of pages that may read responses, as a browser's `Origin` header names them. */
export type Origins = ReadonlySet<string>;

/** Reads a comma-separated list of origins. Throws with the text of a faulty entry. */
export function parseOrigins(list: string): Origins {
  return new Set(entriesOf(list).map(readOrigin));
}

function readOrigin(entry: string): string {
  const url = URL.parse(entry);
  const isWritten = url !== null && (entry === url.origin || entry === `${url.origin}/`);
  if (isWritten && /^https?:$/.test(url.protocol)) return url.origin;
  throw new Error(`"${entry}" is not an origin; write it like https://console.example.com`);
}
