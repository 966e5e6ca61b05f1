import { z } from 'zod';
import { given, type SearchEngine, withSite } from './search-engine.ts';

// The form of https://api-dashboard.search.brave.com/app/documentation/web-search.
const answerSchema = z.object({
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
    const { success, data } = answerSchema.safeParse(answer);
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
