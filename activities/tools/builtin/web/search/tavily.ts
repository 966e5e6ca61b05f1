import { z } from 'zod';
import { given, type SearchEngine } from './search-engine.ts';

// The form of https://docs.tavily.com/documentation/api-reference/endpoint/search.
const answerSchema = z.object({
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
    answerSchema.safeParse(answer).data?.results.map(({ title, url, content, published_date: published }) => ({
      title,
      url,
      snippet: content,
      published: published ?? undefined,
    })),
};

function nameOf(country: string): string | undefined {
  return new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(country)?.toLowerCase();
}
