import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { historiesOf } from '../support/histories-of.ts';
import { json, OutsideServer } from '../support/outside-server.ts';
import { sharedPostgres } from '../support/shared-services.ts';
import { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

type Fields = Record<string, unknown>;

const TOKEN = 'glpat-a-token-of-the-tests';
const postgres = new URL((await sharedPostgres()).url);
let host: OutsideServer;
let instance: TestInstance;
let user: TestUser;
let made = 0;
beforeAll(async () => {
  host = await OutsideServer.start();
  instance = await startTestInstance();
  user = await registerUser(instance.api.url);
});
afterAll(async () => {
  await instance.close();
  host.close();
});
beforeEach(() => {
  host.seen.length = 0;
  host.reply = json({});
});

async function add(fields: Fields): Promise<string> {
  made += 1;
  const integration = { name: `Tested ${made}`, base_url: host.url, credentials: { token: TOKEN }, ...fields };
  const { status, json: created } = await user.client.post<Fields>('/api/integrations', integration);
  if (status !== 201) throw new Error(`adding answered ${status}: ${JSON.stringify(created)}`);
  return `/api/integrations/${String(created['id'])}`;
}

async function runTest(path: string) {
  const answer = await user.client.post<Fields>(`${path}/test`);
  const { json: shown } = await user.client.get<Fields>(path);
  expect(JSON.stringify([answer.json, shown])).not.toContain(TOKEN);
  return { answer, shown };
}

describe('a test', () => {
  test.each([
    ['github', '', '/user', `Bearer ${TOKEN}`, { login: 'octocat' }],
    ['gitlab', '', '/api/v4/user', `Bearer ${TOKEN}`, { username: 'octocat' }],
    ['gitlab', '/lab/api/v4/', '/lab/api/v4/user', `Bearer ${TOKEN}`, { username: 'octocat' }],
    ['gitea', '/', '/api/v1/user', `token ${TOKEN}`, { login: 'octocat' }],
  ])('asks %s at %j whose the token is', async (kind, folder, path, authorization, answered) => {
    host.reply = json(answered);
    const { answer, shown } = await runTest(await add({ kind, base_url: `${host.url}${folder}` }));
    expect([answer.status, answer.json]).toEqual([
      200,
      { ok: true, latency_ms: expect.any(Number), account: 'octocat', error: null },
    ]);
    expect(shown).toMatchObject({ status: 'working', account: 'octocat', error: null, checked_at: expect.any(String) });
    expect(host.seen).toMatchObject([{ method: 'GET', url: path, headers: { authorization } }]);
  });

  test.each([
    ['slack', {}, '/api/auth.test', { authorization: `Bearer ${TOKEN}` }, { ok: true, user: 'octocat' }],
    [
      'discord',
      { credentials: { bot_token: TOKEN } },
      '/api/v10/users/@me',
      { authorization: `Bot ${TOKEN}` },
      { username: 'octocat' },
    ],
    ['telegram', {}, `/bot${TOKEN}/getMe`, {}, { ok: true, result: { username: 'octocat' } }],
  ])(
    'asks %s whose the token is, which it carries as the service wants it',
    async (kind, fields, path, headers, body) => {
      host.reply = json(body);
      const { answer } = await runTest(await add({ kind, ...fields }));
      expect(answer.json).toMatchObject({ ok: true, account: 'octocat' });
      expect(host.seen).toMatchObject([{ method: 'GET', url: path, headers }]);
    },
  );

  test('sends the request that the integration names, with its secrets', async () => {
    const request = {
      path: '/me',
      headers: { 'X-Api-Key': '{{ secret.api_key }}' },
      query: { account: '{{ secret.account }}' },
    };
    const credentials = { api_key: TOKEN, account: 'a&b=1' };
    const path = await add({ kind: 'http', base_url: `${host.url}/api`, credentials, test_request: request });
    expect((await runTest(path)).answer.json).toMatchObject({ ok: true, account: null });
    expect(host.seen).toMatchObject([{ url: '/api/me?account=a%26b%3D1', headers: { 'x-api-key': TOKEN } }]);
  });

  test('only reaches a service that no request of a test is known for, without the secrets', async () => {
    host.reply = json({}, 401);
    expect((await runTest(await add({ kind: 'http' }))).answer.json).toMatchObject({ ok: true });
    expect(JSON.stringify(host.seen)).not.toContain(TOKEN);
  });

  test('keeps why it failed, in words that quote nothing, until new credentials are given', async () => {
    host.reply = json({ message: `Bad credentials: ${TOKEN}` }, 401);
    const path = await add({ kind: 'github' });
    const { answer, shown } = await runTest(path);
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { ok: false, account: null, error: 'GitHub has rejected the credentials (status 401)' },
    ]);
    expect(shown).toMatchObject({ status: 'failing', error: answer.json['error'] });
    const rotated = await user.client.patch<Fields>(path, { credentials: { token: `${TOKEN}-new` } });
    expect(rotated.json).toMatchObject({ status: 'unchecked', error: null });
    host.reply = json({ login: 'octocat' });
    expect((await runTest(path)).shown).toMatchObject({ status: 'working', error: null, account: 'octocat' });
    expect(host.seen.at(-1)?.headers.authorization).toBe(`Bearer ${TOKEN}-new`);
  });

  test('does not send the secret where the answer leads', async () => {
    const other = await OutsideServer.start();
    host.reply = (response) => void response.writeHead(301, { location: `${other.url}/user` }).end();
    const { answer } = await runTest(await add({ kind: 'github' }));
    expect(answer.json).toMatchObject({ ok: false, error: expect.stringContaining('redirects to another one') });
    expect(other.seen).toEqual([]);
    other.close();
  });

  test.each<[string, Fields, string]>([
    ['is not there', { base_url: 'https://git.example.invalid' }, 'host name is unknown'],
    ['answers something else', {}, "not GitHub's"],
  ])('says that a service %s', async (_what, fields, words) => {
    const { shown } = await runTest(await add({ kind: 'github', ...fields }));
    expect(shown).toMatchObject({ status: 'failing', error: expect.stringContaining(words) });
  });

  test.each<[string, string, string | null]>([
    ['works', decodeURIComponent(postgres.password), null],
    ['rejects the credentials', TOKEN, 'PostgreSQL has rejected the credentials: somebody must check the integration'],
  ])('signs in to a database, which %s', async (_what, password, error) => {
    const path = await add({
      kind: 'postgres',
      base_url: `postgres://127.0.0.1:${postgres.port}${postgres.pathname}`,
      settings: { tls: 'off' },
      credentials: { user: postgres.username, password },
    });
    const { answer, shown } = await runTest(path);
    expect(answer.json).toMatchObject({ ok: error === null, account: null, error });
    expect(shown).toMatchObject({ status: error === null ? 'working' : 'failing', error });
  });

  test('leaves no secret and no word of the service in the engine', async () => {
    host.reply = json({ login: 'octocat-of-the-engine' });
    await runTest(await add({ kind: 'github' }));
    const histories = await historiesOf(instance.temporalAddress, user.orgId, '"latencyMs":');
    for (const text of [TOKEN, 'octocat-of-the-engine', 'rejected']) expect(histories).not.toContain(text);
  });
});

test('an agent is offered web_search from the moment that its organization has a search engine', async () => {
  await createProvider(user.client, instance.model.url);
  const agentId = await createAgent(user.client, { tools: ['web_search', 'time_now'] });
  const chatId = await createChat(user.client, agentId);
  const socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
  const ask = async (content: string, turn: number) => {
    socket.send({ type: 'message', content, client_message_id: content });
    const end = await socket.waitForEnd(turn);
    const { tool_calls_detail: details } = end['metadata'] as { readonly tool_calls_detail: readonly Fields[] };
    const tools = (instance.model.requests.at(-1)?.body.tools ?? []) as readonly {
      readonly function: { readonly name: string };
    }[];
    return { details, names: tools.map((tool) => tool.function.name) };
  };
  const search = '[[tool web_search {"query":"herons"}]] [[then]]';
  const before = await ask(`${search} [[say none]]`, 1);
  expect(before.names).toEqual(['time_now']);
  expect(before.details).toMatchObject([
    { status: 'error', result: expect.stringContaining('may manage integrations can add') },
  ]);

  await add({ kind: 'searxng', credentials: {} });
  host.reply = json({ results: [{ title: 'Herons', url: 'https://example.com', content: 'They eat fish' }] });
  const after = await ask(`${search} [[say found]]`, 2);
  expect(after.names).toEqual(['web_search', 'time_now']);
  expect(after.details).toMatchObject([{ status: 'success', result: expect.stringContaining('They eat fish') }]);
  socket.close();
});
