import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type CatalogEntry, providerCatalog } from '../../builtin/index.ts';
import type { ModelMessage } from '../../domain/transcripts/model-message.ts';
import { type ScriptedForm, scriptedForms, TOKENS } from '../../test/support/scripted-provider/index.ts';
import {
  ask,
  buildRequest,
  contentsIssue,
  KEY,
  LIMITS,
  messagesIssue,
  type Said,
  startWireServer,
  TIME_TOOL,
  type WireRequest,
  type WireServer,
} from '../../test/support/wire-servers/index.ts';
import { createAdapters } from './adapters.ts';
import type { ModelRequest } from './model-adapter.ts';

/** Every provider that is called over HTTP. */
const entries = providerCatalog.filter(({ authType, streamType }) => authType !== 'oauth' && streamType !== 'demo');
const named = entries.map((entry): [string, CatalogEntry] => [entry.key, entry]);

let server: WireServer;
beforeAll(async () => {
  server = await startWireServer();
});
afterEach(() => server.reject(() => undefined));
afterAll(() => server.close());

const SCRIPT = {
  thought: 'The user wants the time.',
  text: 'Einen Moment, 世界 🌍.',
  call: { name: TIME_TOOL.name, args: { zone: 'Europe/Berlin' } },
  end: 'done',
} as const;
const QUESTION: ModelMessage = {
  role: 'user',
  content: 'What time does this clock show?',
  images: [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }],
};
const SYSTEM: ModelMessage = { role: 'system', content: 'Be kind.' };

const formOf = ({ streamType }: CatalogEntry) => scriptedForms[streamType] as ScriptedForm;
const pathOf = ({ baseUrl }: CatalogEntry) =>
  new URL((baseUrl ?? 'https://example.com/v1').replaceAll(/\{\w+\}/g, 'mine')).pathname.replace(/\/$/, '');

/** Builds a request of an account as its owner would add it; the address leads here. */
function requestTo(entry: CatalogEntry, change: Partial<ModelRequest> = {}): ModelRequest {
  const baseUrl = server.url + pathOf(entry);
  const { account, ...rest } = buildRequest(baseUrl, {
    providerType: entry.key,
    model: entry.defaultModel ?? 'own-model',
  });
  const isOpen = entry.authType === 'none';
  const signedIn = { ...account, apiKey: isOpen ? undefined : KEY };
  return { ...rest, account: signedIn, messages: [SYSTEM, QUESTION], tools: [TIME_TOOL], ...change };
}

async function turn(entry: CatalogEntry, change: Partial<ModelRequest> = {}): Promise<Said> {
  const request = requestTo(entry, change);
  const { account, model } = request;
  const find = createAdapters(server.requestStream, LIMITS, server);
  return ask(find({ account, model, streamType: entry.streamType }), request);
}

/** Where the calls of each wire format arrive, below the address of the account. */
const PATHS: Readonly<Record<string, RegExp>> = {
  anthropic: /^\/messages$/,
  bedrock: /^\/model\/[\w.%-]+\/converse-stream$/,
  gemini: /^\/models\/[\w.-]+:streamGenerateContent\?alt=sse$/,
  openai_compat: /^\/chat\/completions$/,
};

/** The header with which an account of the entry signs in; none for those that need none. */
function signInHeader({ key, streamType, authType }: CatalogEntry): Record<string, string> {
  if (authType === 'none') return {};
  if (streamType === 'anthropic') return { 'x-api-key': KEY };
  if (streamType === 'gemini') return { 'x-goog-api-key': KEY };
  return key === 'azure' ? { 'api-key': KEY } : { authorization: `Bearer ${KEY}` };
}

const SIGN_INS = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'];

/** Returns what the provider of an entry would reject in a request; undefined when nothing. */
function issueFor({ streamType }: CatalogEntry): (request: WireRequest) => string | undefined {
  if (streamType === 'anthropic') return messagesIssue;
  return streamType === 'gemini' ? contentsIssue : () => undefined;
}

test('the catalog contains the forty-six providers that are called over HTTP, and the words for all are known', () => {
  expect(entries).toHaveLength(46);
  expect(new Set(entries.map(({ streamType }) => streamType))).toEqual(new Set(Object.keys(scriptedForms)));
});

describe.each(named)('%s', (_key, entry) => {
  test('answers a turn with a thought, text, a call and its usage', async () => {
    server.reject(issueFor(entry));
    server.answer(formOf(entry).play(SCRIPT));
    const said = await turn(entry);
    expect(said).toMatchObject({
      text: SCRIPT.text,
      isWhole: true,
      calls: [{ name: TIME_TOOL.name, argumentsText: JSON.stringify(SCRIPT.call.args) }],
      usage: {
        inputTokens: TOKENS.fresh + TOKENS.cached,
        cachedInputTokens: TOKENS.cached,
        outputTokens: TOKENS.output,
        estimated: false,
      },
      end: 'done',
      failure: undefined,
    });
    const [request] = server.requests;
    expect(request?.path.slice(pathOf(entry).length)).toMatch(PATHS[entry.streamType] as RegExp);
    const given = Object.entries(request?.headers ?? {}).filter(([name]) => SIGN_INS.includes(name));
    expect(Object.fromEntries(given)).toEqual(signInHeader(entry));
    expect(JSON.stringify(request?.body)).toContain('iVBORw0KGgo=');
    expect(JSON.stringify(request?.body)).not.toContain(KEY);
  });

  test('takes the result of the call, with what it said before', async () => {
    server.answer(formOf(entry).play(SCRIPT));
    const { state } = await turn(entry);
    server.reject(issueFor(entry));
    server.answer(formOf(entry).play({ text: 'It is noon.', end: 'done' }));
    const reply: ModelMessage = {
      role: 'assistant',
      content: SCRIPT.text,
      toolCalls: [{ id: 'call-1', name: TIME_TOOL.name, arguments: { ...SCRIPT.call.args } }],
      state: { streamType: entry.streamType, data: state },
    };
    const result: ModelMessage = {
      role: 'tool',
      callId: 'call-1',
      name: TIME_TOOL.name,
      content: '12:00',
      isError: false,
    };
    expect(await turn(entry, { messages: [SYSTEM, QUESTION, reply, result] })).toMatchObject({ text: 'It is noon.' });
    // Thoughts or their signatures go back to the model that had them.
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(/The user wants the time|c2lnbmVk/);
  });

  test.each([
    ['that reached its limit', { text: 'half', end: 'length' }, 'length'],
    ['that was withheld', { text: 'hal', end: 'content_filter' }, 'content_filter'],
  ] as const)('tells of a reply %s', async (_what, script, end) => {
    server.answer(formOf(entry).play(script));
    expect(await turn(entry)).toMatchObject({ text: script.text, end, failure: undefined });
  });

  test('says in words that the conversation is too long', async () => {
    server.answer(formOf(entry).tooLong);
    const said = await turn(entry);
    expect(said.failure).toMatch(/^Acme cannot accept the conversation: it is too long for the model/);
  });
});
