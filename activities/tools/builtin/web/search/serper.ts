import { z } from 'zod';
import { given, type SearchEngine, withSite } from './search-engine.ts';

// The form of https://serper.dev/playground.
const answerSchema = z.object({
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
    answerSchema.safeParse(answer).data?.organic.map(({ title, link, snippet, date }) => ({
      title,
      url: link,
      snippet,
      published: date,
    })),
};
