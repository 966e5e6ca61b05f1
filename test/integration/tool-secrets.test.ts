import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  createAgent,
  createChat,
  createProvider,
  createTool,
  registerUser,
  type TestUser,
} from '../support/factories.ts';
import { historiesOf } from '../support/histories-of.ts';
import { json, OutsideServer } from '../support/outside-server.ts';
import { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

type Fields = Record<string, unknown>;

const SECRET = 'a-secret-of-the-tracker/8c1f';
let host: OutsideServer;
let instance: TestInstance;
let user: TestUser;
beforeAll(async () => {
  host = await OutsideServer.start();
  instance = await startTestInstance();
  user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
});
afterAll(async () => {
  await instance.close();
  host.close();
});
beforeEach(() => {
  host.seen.length = 0;
  host.reply = (response, { headers, url }) =>
    json({ you: headers['x-token'], at: url, word: 'answered' })(response, { method: '', url, headers, body: '' });
});

async function addIntegration(name: string): Promise<string> {
  const fields = { kind: 'http', name, base_url: `${host.url}/api`, credentials: { token: SECRET } };
  return `/api/integrations/${(await user.client.post<{ id: string }>('/api/integrations', fields)).json.id}`;
}

function files(integration: string, request: Fields = {}) {
  const http = { method: 'POST', url: `${host.url}/api/things`, headers: { 'X-Token': '{{ secret.token }}' } };
  const parameters = { type: 'object', properties: { word: { type: 'string' } } };
  return {
    'tool.json': JSON.stringify({ parameters, effect: 'once', runtime: 'http', integration }),
    'http.json': JSON.stringify({ ...http, body: { word: '{{ word }}', key: '{{ secret.token }}' }, ...request }),
  };
}

const shown = async (id: string) => (await user.client.get<Fields>(`/api/tools/${id}`)).json;

/** Has an agent with the tools make calls; returns what is shown of them. */
async function call(tools: readonly string[], calls: string): Promise<readonly Fields[]> {
  const chatId = await createChat(user.client, await createAgent(user.client, { tools }));
  const socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
  socket.send({ type: 'message', content: `${calls} [[then]] [[say done]]`, client_message_id: chatId });
  const end = await socket.waitForEnd();
  expect(JSON.stringify(socket.frames)).not.toContain(SECRET);
  socket.close();
  return (end['metadata'] as { tool_calls_detail: readonly Fields[] }).tool_calls_detail;
}

/** Returns the tables that hold a text. */
async function tablesWith(searched: string): Promise<readonly string[]> {
  const { system } = instance.api.database;
  const { rows: tables } = await system.query<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await system.query(`select from ${name} t where strpos(to_jsonb(t)::text, $1) > 0 limit 1`, [
      searched,
    ]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe('a tool with a secret', () => {
  test('sends it to the service, and it is found nowhere else', async () => {
    await addIntegration('Tracker');
    const id = await createTool(user.client, files('tracker'), { key: 'send_secret' });
    expect(await shown(id)).toMatchObject({ usable: true, problem: null });
    const details = await call(['send_secret'], '[[tool send_secret {"word": "hey {{ secret.token }}"}]]');
    expect(details).toMatchObject([
      { status: 'success', result: expect.stringContaining('{"you":"***","at":"/api/things","word":"answered"}') },
    ]);
    const tried = await user.client.post<Fields>(`/api/tools/${id}/test`, { arguments: { word: 'tried' } });
    expect(tried.json).toMatchObject({ status: 'success', result: expect.stringContaining('"you":"***"') });
    expect(JSON.stringify(tried.json)).not.toContain(SECRET);
    expect(host.seen.map(({ headers, body }) => [headers['x-token'], JSON.parse(body) as unknown])).toEqual([
      [SECRET, { word: 'hey {{ secret.token }}', key: SECRET }],
      [SECRET, { word: 'tried', key: SECRET }],
    ]);
    expect(JSON.stringify(instance.model.requests)).not.toContain(SECRET);
    expect(await tablesWith('send_secret')).toContain('tool_calls');
    expect(await tablesWith(SECRET)).toEqual([]);
    const histories = await historiesOf(instance.temporalAddress, user.orgId, 'tool-trial/');
    expect(histories).not.toContain(SECRET);
  });

  test('cannot be used while its integration lacks something, and says so', async () => {
    const path = await addIntegration('Changing');
    const id = await createTool(user.client, files('Changing'), { key: 'changing' });
    expect(await shown(id)).toMatchObject({ usable: true });
    const problems: unknown[] = [];
    const note = async () => {
      const { usable, problem } = await shown(id);
      expect(usable).toBe(false);
      problems.push(problem);
      const { status, json: refused } = await user.client.post<Fields>(`/api/tools/${id}/test`, {});
      expect([status, refused['detail']]).toEqual([409, `The tool cannot be tried: ${String(problem)}`]);
    };
    await user.client.patch(path, { credentials: { other: SECRET } });
    await note();
    await user.client.patch(path, { credentials: { token: SECRET }, secret_places: ['header'] });
    await note();
    await user.client.patch(path, {
      secret_places: ['header', 'body'],
      base_url: `${host.url}/other`,
      credentials: { token: SECRET },
    });
    await note();
    const kept = [await user.client.delete(path), await user.client.patch(path, { name: 'Renamed' })];
    for (const { status, json } of kept)
      expect([status, json]).toEqual([409, { detail: expect.stringContaining('named by the tool "changing"') }]);
    expect((await user.client.patch(path, { name: 'CHANGING' })).status).toBe(200);
    expect((await user.client.delete(`${path}?force=true`)).status).toBe(204);
    await note();
    expect(problems).toEqual([
      expect.stringContaining('has no credential named token'),
      expect.stringContaining('must not be put into the body'),
      expect.stringContaining('go to its base_url'),
      expect.stringContaining('no integration named Changing'),
    ]);
    const details = await call(['changing', 'time_now'], '[[tool changing {}]] [[tool time_now {}]]');
    expect(details).toMatchObject([
      { status: 'error', result: expect.stringContaining('no integration named Changing') },
      { status: 'success' },
    ]);
    const offered = JSON.stringify(instance.model.requests.at(-1)?.body.tools);
    expect(offered).toContain('time_now');
    expect(offered).not.toContain('"changing"');
    expect(host.seen).toEqual([]);
  });

  test('uses the integration of its own organization only', async () => {
    await addIntegration('Ours alone');
    const stranger = await registerUser(instance.api.url);
    const id = await createTool(stranger.client, files('Ours alone'), { key: 'theirs' });
    expect((await stranger.client.get<Fields>(`/api/tools/${id}`)).json).toMatchObject({
      usable: false,
      problem: expect.stringContaining('no integration named Ours alone'),
    });
  });
});
