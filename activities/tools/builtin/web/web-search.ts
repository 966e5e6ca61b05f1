import { z } from 'zod';
import { parseForeignJson } from '../../../../domain/core/foreign-json.ts';
import { noIntegrationOf } from '../../../../domain/tools/needs.ts';
import type { OpenedIntegration, ToolContext } from '../../context.ts';
import { defineTool } from '../../define-tool.ts';
import { sendRequest } from '../../requests/send-request.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { failureOf } from './fetch-text.ts';
import {
  brave,
  exa,
  type SearchEngine,
  type SearchQuery,
  type SearchResult,
  searxng,
  serper,
  tavily,
} from './search-engines.ts';

const ENGINES: readonly SearchEngine[] = [brave, tavily, exa, serper, searxng];
const KINDS = ENGINES.map(({ kind }) => kind);

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_TEXT = 1_000;
const RESULTS = 8;

const parameters = z.strictObject({
  query: z.string().min(1).max(400).describe('A few distinctive words; quotation marks for exact phrases.'),
  count: z.int().min(1).max(20).optional().describe(`Results wanted; ${RESULTS} when left out.`),
  freshness: z
    .enum(['day', 'week', 'month', 'year'])
    .optional()
    .describe('Only pages of the last day, week, month or year.'),
  site: z
    .string()
    .max(253)
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i)
    .optional()
    .describe('Only pages of this host, such as `example.com`.'),
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/)
    .optional()
    .describe('Country whose results are preferred, such as `DE`.'),
  language: z
    .string()
    .regex(/^[A-Za-z]{2}$/)
    .optional()
    .describe('Language of the results, such as `de`.'),
});

/** Searches the web with the search engine of the organization. */
export const webSearch = defineTool({
  key: 'web_search',
  name: 'Web search',
  description:
    'Searches the web and answers titles, addresses and snippets. Snippets are hints: read a page with `web_scrape` before you rely on it.',
  category: 'web',
  parameters,
  effect: 'read',
  timeoutSeconds: 60,
  needsIntegration: KINDS,
  label: ({ query }) => `Searching for ${query}`,
  run: async (args, context) => {
    const integration = await context.openIntegrationOfKind(KINDS);
    const engine = ENGINES.find(({ kind }) => kind === integration?.kind);
    if (integration === undefined || engine === undefined) throw new ToolFailure('denied', noIntegrationOf(KINDS));
    const { count = RESULTS, country, language } = args;
    const query: SearchQuery = {
      query: args.query,
      count,
      freshness: args.freshness,
      site: args.site,
      country: country?.toUpperCase(),
      language: language?.toLowerCase(),
    };
    const found = await ask(engine, { query, integration }, context);
    return { value: { engine: engine.kind, results: found.slice(0, count).map(shortened) }, isForeign: true };
  },
});

interface Question {
  readonly query: SearchQuery;
  readonly integration: OpenedIntegration;
}

async function ask(
  engine: SearchEngine,
  { query, integration: { apiUrl, secrets } }: Question,
  context: ToolContext,
): Promise<readonly SearchResult[]> {
  const { path, query: parts = {}, headers = {}, body } = engine.request(query, secrets);
  const url = URL.parse(`${apiUrl}${path}?${new URLSearchParams(parts).toString()}`);
  if (url === null) throw new ToolFailure('denied', 'The address of the search engine is not valid');
  const sent = {
    url: url.href,
    method: body === undefined ? 'GET' : 'POST',
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
    body: body && JSON.stringify(body),
    // The key goes to no other address.
    followRedirects: false,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  };
  const answer = await sendRequest(sent, 'read', context);
  if (answer.status !== 200) throw refusal(answer.status, engine);
  const parsed = parseForeignJson(answer.body.toString());
  const results = 'value' in parsed ? engine.read(parsed.value) : undefined;
  if (results === undefined)
    throw new ToolFailure('upstream', `The search engine ${engine.kind} gave an answer that cannot be read`);
  return results;
}

function refusal(status: number, { kind }: SearchEngine): ToolFailure {
  const { kind: failureClass } = failureOf(status);
  const hint = status === 401 || status === 403 ? '; check its API key and settings' : '';
  return new ToolFailure(failureClass, `The search engine ${kind} answers with the status ${status}${hint}`);
}

function shortened({ title, url, snippet, published }: SearchResult): SearchResult {
  const cut = (text: string) => text.slice(0, MAX_TEXT).toWellFormed();
  return {
    title: cut(title),
    url: cut(url),
    snippet: cut(snippet),
    ...(published !== undefined && { published: cut(published) }),
  };
}
