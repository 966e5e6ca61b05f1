import { z } from 'zod';
import { given, type SearchEngine, withSite } from './search-engine.ts';

// The form of https://docs.searxng.org/dev/search_api.html.
const answerSchema = z.object({
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
    answerSchema.safeParse(answer).data?.results.map(({ title, url, content, publishedDate }) => ({
      title,
      url,
      snippet: content ?? '',
      published: publishedDate ?? undefined,
    })),
};
