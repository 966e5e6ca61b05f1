import { z } from 'zod';
import { parseForeignJson } from '../../../../domain/core/foreign-json.ts';
import type { ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import type { ToolOutput } from '../../tool.ts';
import { fetchText } from './fetch-text.ts';

const MAX_BYTES = 2 * 1024 * 1024;
const HITS = 8;

const parameters = z.strictObject({
  query: z.string().min(1).max(300).describe('What to look for, in the words an encyclopedia would use.'),
  title: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Title of an article, as a search answers it: reads that article.'),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[a-z]{2,10}){0,2}$/)
    .optional()
    .describe('Language of the encyclopedia, such as `de`; `en` when left out.'),
  sentences: z
    .int()
    .min(1)
    .max(10)
    .optional()
    .describe('With title: only so many sentences of the beginning; the whole article as text when left out.'),
});

type Arguments = z.output<typeof parameters>;

const searchAnswer = z.object({
  query: z.object({
    search: z.object({ title: z.string(), snippet: z.string(), wordcount: z.int(), timestamp: z.string() }).array(),
  }),
});
const articleAnswer = z.object({
  query: z.object({
    pages: z
      .object({
        title: z.string(),
        missing: z.boolean().optional(),
        fullurl: z.string().optional(),
        extract: z.string().optional(),
      })
      .array()
      .min(1),
  }),
});

/** Finds and reads articles of Wikipedia. */
export const wikipediaSearch = defineTool({
  key: 'wikipedia_search',
  name: 'Wikipedia',
  description:
    'Finds articles of Wikipedia (title, excerpt, time of the last change), or with `title` reads one of them as plain text.',
  category: 'web',
  parameters,
  effect: 'read',
  timeoutSeconds: 60,
  label: ({ query, title }) => (title === undefined ? `Wikipedia: ${query}` : `Wikipedia: reading ${title}`),
  run: async (args, context) => (args.title === undefined ? search(args, context) : read(args, args.title, context)),
});

async function search({ query, language = 'en' }: Arguments, context: ToolContext): Promise<ToolOutput> {
  const parts = { list: 'search', srsearch: query, srlimit: String(HITS) };
  const { query: found } = await ask({ language, parts, schema: searchAnswer }, context);
  const results = found.search.map(({ title, snippet, wordcount, timestamp }) => ({
    title,
    excerpt: withoutMarks(snippet),
    words: wordcount,
    changed_at: timestamp,
    url: `https://${language}.wikipedia.org/wiki/${encodeURIComponent(title.replaceAll(' ', '_'))}`,
  }));
  return { value: { results }, isForeign: true };
}

async function read(
  { language = 'en', sentences }: Arguments,
  title: string,
  context: ToolContext,
): Promise<ToolOutput> {
  const length = sentences === undefined ? {} : { exsentences: String(sentences) };
  const parts = { prop: 'extracts|info', titles: title, redirects: '1', explaintext: '1', inprop: 'url', ...length };
  const { query } = await ask({ language, parts, schema: articleAnswer }, context);
  const [page] = query.pages;
  if (page?.extract === undefined || page.missing === true)
    throw new ToolFailure('not_found', `There is no article with this title in the language ${language}; search first`);
  return { value: `# ${page.title}\n${page.fullurl ?? ''}\n\n${page.extract}`, isForeign: true };
}

interface Question<S extends z.ZodType> {
  readonly language: string;
  /** Parameters of the action `query` of MediaWiki's API. */
  readonly parts: Readonly<Record<string, string>>;
  readonly schema: S;
}

async function ask<S extends z.ZodType>(
  { language, parts, schema }: Question<S>,
  context: ToolContext,
): Promise<z.output<S>> {
  const query = new URLSearchParams({ action: 'query', format: 'json', formatversion: '2', ...parts });
  const url = `https://${language}.wikipedia.org/w/api.php?${query.toString()}`;
  const { text } = await fetchText({ url, timeoutMs: 30_000, maxBytes: MAX_BYTES }, context);
  const parsed = parseForeignJson(text);
  const answer = schema.safeParse('value' in parsed ? parsed.value : undefined);
  if (answer.success) return answer.data;
  throw new ToolFailure('upstream', 'Wikipedia gave an answer that cannot be read');
}

// Decodes the markup of an excerpt: matches are in bold, and signs are escaped.
function withoutMarks(snippet: string): string {
  return snippet
    .replaceAll('<span class="searchmatch">', '')
    .replaceAll('</span>', '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#039;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
