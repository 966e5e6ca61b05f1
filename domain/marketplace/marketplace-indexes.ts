import { entriesOf } from '../core/objects/entries-of.ts';

/** An index of items that the operator has added; from `MARKETPLACE_INDEXES`. */
export interface MarketplaceIndex {
  /** Names it wherever it is shown: its address, without credentials and query. */
  readonly source: string;
  /** Where it is fetched, without credentials. */
  readonly url: string;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

/** An item of an index that is not offered. */
export interface RefusedItem {
  /** Its slug, or its place in the index. */
  readonly item: string;
  readonly reason: string;
}

/** The source of items that ship with the service. */
export const BUILTIN_SOURCE = 'builtin';

const MAX_INDEXES = 10;

/** Reads a comma-separated list of the addresses of indexes; throws what is wrong with one, without repeating it. */
export function parseMarketplaceIndexes(list: string): readonly MarketplaceIndex[] {
  const indexes = entriesOf(list).map(readIndex);
  if (indexes.length > MAX_INDEXES) throw new Error(`must not name more than ${MAX_INDEXES} indexes`);
  const sources = new Set(indexes.map(({ source }) => source));
  if (sources.size < indexes.length) throw new Error('names an index twice');
  return indexes;
}

function readIndex(text: string, at: number): MarketplaceIndex {
  const url = URL.parse(text);
  const name = `address ${at + 1}`;
  if (url === null) throw new Error(`${name} is not a valid URL`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Error(`${name} must begin with https:// or http://`);
  const credentials = credentialsOf(url, name);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { source: `${url.origin}${url.pathname}`, url: url.href, credentials };
}

function credentialsOf({ username, password }: URL, name: string): MarketplaceIndex['credentials'] {
  if (username === '' && password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw new Error(`${name} has credentials in which % is not followed by two hexadecimal digits`);
  }
}
