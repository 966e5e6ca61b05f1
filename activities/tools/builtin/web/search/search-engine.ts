import type { IntegrationKindKey, Secrets } from '../../../../../domain/integrations/index.ts';

/** What is searched for. What is not given does not matter. */
export interface SearchQuery {
  readonly query: string;
  readonly count: number;
  /** How old a page may be. */
  readonly freshness: 'day' | 'week' | 'month' | 'year' | undefined;
  /** The host whose pages are wanted. */
  readonly site: string | undefined;
  /** Two letters of ISO 3166, in upper case. */
  readonly country: string | undefined;
  /** Two letters of ISO 639, in lower case. */
  readonly language: string | undefined;
}

/** A request to a search engine. */
export interface SearchRequest {
  /** Below the address of the engine's API. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON by POST; a GET without it. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A page that was found. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** As the engine writes it. */
  readonly published?: string | undefined;
}

/** A search engine: how it is asked, and how its answer is read. */
export interface SearchEngine {
  readonly kind: IntegrationKindKey;
  readonly request: (query: SearchQuery, secrets: Secrets) => SearchRequest;
  /** Returns the pages of an answer; undefined when the answer has another form. */
  readonly read: (answer: unknown) => readonly SearchResult[] | undefined;
}

/** Adds the site to the words, for engines that know no parameter for it. */
export function withSite({ query, site }: SearchQuery): string {
  return site === undefined ? query : `${query} site:${site}`;
}

/** Returns a record without the members that are undefined. */
export function given<V>(record: Readonly<Record<string, V | undefined>>): Record<string, V> {
  return Object.fromEntries(Object.entries(record).filter((entry): entry is [string, V] => entry[1] !== undefined));
}
