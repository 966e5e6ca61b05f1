import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { IntegrationKindKey } from '../../../../domain/integrations/kinds/index.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { OpenedIntegration } from '../../context.ts';
import type { ToolArguments } from '../../tool.ts';
import { webSearch } from './web-search.ts';

interface Seen {
  readonly method: string | undefined;
  readonly url: URL;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

let seen: Seen | undefined;
let answer: { status: number; body: unknown };
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const { method, url = '', headers } = request;
    seen = { method, url: new URL(url, 'http://engine'), headers, body: body === '' ? null : JSON.parse(body) };
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
});
const integrations: (OpenedIntegration & { kind: IntegrationKindKey })[] = [];
let tools: TestTools;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  tools = await createTestTools({ privateHosts: `127.0.0.1:${port}`, integrations });
});
afterAll(async () => {
  await tools.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  integrations.length = 0;
  seen = undefined;
});

function useEngine(kind: IntegrationKindKey): void {
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/engine`;
  integrations.push({
    kind,
    name: kind,
    apiUrl,
    fields: ['api_key'],
    secretPlaces: [],

    secrets: { api_key: 'k-1' },
  });
}

async function search(args: ToolArguments) {
  return prepareCall(webSearch, args).run(tools.context);
}

const ALL = { query: 'heron food', count: 2, freshness: 'week', site: 'example.com', country: 'de', language: 'DE' };
const FOUND = { title: 'Herons', url: 'https://example.com/heron', snippet: 'They eat fish' };

test.each<[IntegrationKindKey, string, Readonly<Record<string, string>>, object, unknown]>([
  [
    'brave',
    'GET /engine/res/v1/web/search?q=heron+food+site%3Aexample.com&count=2&freshness=pw&country=DE&search_lang=de&text_decorations=false',
    { 'x-subscription-token': 'k-1' },
    { web: { results: [{ title: FOUND.title, url: FOUND.url, description: FOUND.snippet }] } },
    null,
  ],
  [
    'tavily',
    'POST /engine/search?',
    { authorization: 'Bearer k-1' },
    { results: [{ title: FOUND.title, url: FOUND.url, content: FOUND.snippet, score: 0.9 }] },
    { query: 'heron food', max_results: 2, time_range: 'week', include_domains: ['example.com'], country: 'germany' },
  ],
  [
    'exa',
    'POST /engine/search?',
    { 'x-api-key': 'k-1' },
    { results: [{ title: FOUND.title, url: FOUND.url, text: FOUND.snippet, id: 'x' }] },
    expect.objectContaining({
      query: 'heron food',
      numResults: 2,
      includeDomains: ['example.com'],
      userLocation: 'DE',
    }),
  ],
  [
    'serper',
    'POST /engine/search?',
    { 'x-api-key': 'k-1' },
    { organic: [{ title: FOUND.title, link: FOUND.url, snippet: FOUND.snippet, position: 1 }] },
    { q: 'heron food site:example.com', num: 2, tbs: 'qdr:w', gl: 'de', hl: 'de' },
  ],
  [
    'searxng',
    'GET /engine/search?q=heron+food+site%3Aexample.com&format=json&time_range=week&language=de',
    {},
    { results: [{ title: FOUND.title, url: FOUND.url, content: FOUND.snippet }] },
    null,
  ],
])('%s is asked in its own form', async (kind, request, headers, body, sent) => {
  useEngine(kind);
  answer = { status: 200, body };
  const output = await search(ALL);
  expect(output).toEqual({ value: { engine: kind, results: [FOUND] }, isForeign: true });
  expect(`${seen?.method} ${seen?.url.pathname}?${seen?.url.searchParams.toString()}`).toBe(request);
  expect(seen).toMatchObject({ headers, body: sent });
});

test('an organization without a search engine learns how to get one', async () => {
  await expect(search({ query: 'x' })).rejects.toMatchObject({
    kind: 'denied',
    message: expect.stringContaining('may manage integrations can add'),
  });
});

test('a search that finds nothing answers nothing', async () => {
  useEngine('brave');
  answer = { status: 200, body: { type: 'search' } };
  expect((await search({ query: 'x' })).value).toEqual({ engine: 'brave', results: [] });
});

test.each([
  [401, {}, 'denied', 'API key'],
  [429, {}, 'rate_limited', '429'],
  [200, { results: 'none' }, 'upstream', 'cannot be read'],
  [302, {}, 'upstream', '302'],
])('a status %s with %j fails as %s', async (status, body, kind, words) => {
  useEngine('tavily');
  answer = { status, body };
  const error: unknown = await search({ query: 'x' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind, message: expect.stringContaining(words) });
  expect(String(error)).not.toContain('k-1');
});
