import { z } from 'zod';
import { given, type SearchEngine } from './search-engine.ts';

// The form of https://docs.exa.ai/reference/search.
const answerSchema = z.object({
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
    answerSchema.safeParse(answer).data?.results.map(({ title, url, publishedDate, text, highlights }) => ({
      title: title ?? url,
      url,
      snippet: highlights?.join(' … ') ?? text ?? '',
      published: publishedDate ?? undefined,
    })),
};
