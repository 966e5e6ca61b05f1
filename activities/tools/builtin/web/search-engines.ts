import { z } from 'zod';
import type { IntegrationKindKey } from '../../../../domain/integrations/kinds/index.ts';
import type { Secrets } from '../../../../domain/integrations/integration-kind.ts';

/** The criteria of a search. Undefined ones do not matter. */
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
interface SearchRequest {
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
function withSite({ query, site }: SearchQuery): string {
  return site === undefined ? query : `${query} site:${site}`;
}

/** Returns a record without the members that are undefined. */
function given<V>(record: Readonly<Record<string, V | undefined>>): Record<string, V> {
  return Object.fromEntries(Object.entries(record).filter((entry): entry is [string, V] => entry[1] !== undefined));
}

// The form of https://api-dashboard.search.brave.com/app/documentation/web-search.
const braveAnswer = z.object({
  web: z
    .object({
      results: z
        .object({
          title: z.string(),
          url: z.string(),
          description: z.string().default(''),
          page_age: z.string().optional(),
        })
        .array(),
    })
    .optional(),
});
const FRESHNESS = { day: 'pd', week: 'pw', month: 'pm', year: 'py' } as const;

/** Brave Search. */
export const brave: SearchEngine = {
  kind: 'brave',
  request: (query, secrets) => ({
    path: '/res/v1/web/search',
    query: given({
      q: withSite(query),
      count: String(query.count),
      freshness: query.freshness && FRESHNESS[query.freshness],
      country: query.country,
      search_lang: query.language,
      text_decorations: 'false',
    }),
    headers: { 'X-Subscription-Token': secrets['api_key'] ?? '' },
  }),
  // An answer without `web` has found no page.
  read: (answer) => {
    const { success, data } = braveAnswer.safeParse(answer);
    if (!success) return undefined;
    const { results = [] } = data.web ?? {};
    return results.map(({ title, url, description: snippet, page_age: published }) => ({
      title,
      url,
      snippet,
      published,
    }));
  },
};

// The form of https://docs.exa.ai/reference/search.
const exaAnswer = z.object({
  results: z
    .object({
      title: z.string().nullish(),
      url: z.string(),
      publishedDate: z.string().nullish(),
      text: z.string().nullish(),
      highlights: z.string().array().nullish(),
    })
    .array(),
});
const DAYS = { day: 1, week: 7, month: 31, year: 366 } as const;
const DAY_MS = 86_400_000;
const SNIPPET_CHARACTERS = 500;

/** Exa. It knows no language. */
export const exa: SearchEngine = {
  kind: 'exa',
  request: ({ query, count, freshness, site, country }, secrets) => ({
    path: '/search',
    headers: { 'x-api-key': secrets['api_key'] ?? '' },
    body: given<unknown>({
      query,
      numResults: count,
      type: 'auto',
      contents: { text: { maxCharacters: SNIPPET_CHARACTERS } },
      includeDomains: site === undefined ? undefined : [site],
      startPublishedDate: freshness && new Date(Date.now() - DAYS[freshness] * DAY_MS).toISOString(),
      userLocation: country,
    }),
  }),
  read: (answer) =>
    exaAnswer.safeParse(answer).data?.results.map(({ title, url, publishedDate, text, highlights }) => ({
      title: title ?? url,
      url,
      snippet: highlights?.join(' … ') ?? text ?? '',
      published: publishedDate ?? undefined,
    })),
};

// The form of https://docs.searxng.org/dev/search_api.html.
const searxngAnswer = z.object({
  results: z
    .object({
      title: z.string(),
      url: z.string(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
    })
    .array(),
});

/** A SearXNG server. It must allow the format `json`, and knows no country. */
export const searxng: SearchEngine = {
  kind: 'searxng',
  request: (query) => ({
    path: '/search',
    query: given({
      q: withSite(query),
      format: 'json',
      time_range: query.freshness,
      language: query.language,
    }),
  }),
  read: (answer) =>
    searxngAnswer.safeParse(answer).data?.results.map(({ title, url, content, publishedDate }) => ({
      title,
      url,
      snippet: content ?? '',
      published: publishedDate ?? undefined,
    })),
};

// The form of https://serper.dev/playground.
const serperAnswer = z.object({
  organic: z
    .object({ title: z.string(), link: z.string(), snippet: z.string().default(''), date: z.string().optional() })
    .array(),
});

/** Serper, which answers with what Google finds. */
export const serper: SearchEngine = {
  kind: 'serper',
  request: (query, secrets) => ({
    path: '/search',
    headers: { 'X-API-KEY': secrets['api_key'] ?? '' },
    body: given<unknown>({
      q: withSite(query),
      num: query.count,
      tbs: query.freshness && `qdr:${query.freshness.slice(0, 1)}`,
      gl: query.country?.toLowerCase(),
      hl: query.language,
    }),
  }),
  read: (answer) =>
    serperAnswer.safeParse(answer).data?.organic.map(({ title, link, snippet, date }) => ({
      title,
      url: link,
      snippet,
      published: date,
    })),
};

// The form of https://docs.tavily.com/documentation/api-reference/endpoint/search.
const tavilyAnswer = z.object({
  results: z
    .object({
      title: z.string(),
      url: z.string(),
      content: z.string().default(''),
      published_date: z.string().nullish(),
    })
    .array(),
});

/** Tavily. It takes the country by its English name. */
export const tavily: SearchEngine = {
  kind: 'tavily',
  request: ({ query, count, freshness, site, country }, secrets) => ({
    path: '/search',
    headers: { Authorization: `Bearer ${secrets['api_key']}` },
    body: given<unknown>({
      query,
      max_results: count,
      time_range: freshness,
      include_domains: site === undefined ? undefined : [site],
      country: country === undefined ? undefined : nameOf(country),
    }),
  }),
  read: (answer) =>
    tavilyAnswer.safeParse(answer).data?.results.map(({ title, url, content, published_date: published }) => ({
      title,
      url,
      snippet: content,
      published: published ?? undefined,
    })),
};

function nameOf(country: string): string | undefined {
  return new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(country)?.toLowerCase();
}
