import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiClient } from '../support/api-client.ts';
import { EffectServer } from '../support/effect-server.ts';
import {
  createAgent,
  createChat,
  createProvider,
  createTool,
  registerUser,
  type TestUser,
} from '../support/factories.ts';
import { SocketClient } from '../support/socket-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';

let effects: EffectServer;
let instance: TestInstance;
beforeAll(async () => {
  effects = await EffectServer.start();
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  effects.close();
});

const PARAMETERS = { type: 'object', properties: { word: { type: 'string' } }, additionalProperties: false };

const script = (code: string, fields: object = {}) => ({
  'tool.json': JSON.stringify({ parameters: PARAMETERS, runtime: 'javascript', effect: 'read', ...fields }),
  'main.js': `export default async function (args, { fetch, log }) { ${code} }`,
});
const request = (template: object, fields: object = {}) => ({
  'tool.json': JSON.stringify({ parameters: PARAMETERS, runtime: 'http', ...fields }),
  'http.json': JSON.stringify(template),
});

interface Call {
  readonly name: string;
  readonly status: string;
  readonly result: string;
}

/** Talks to an agent with the tools; returns a function that sends a message and answers the calls of its turn. */
async function talkTo(user: TestUser, tools: readonly string[]) {
  await createProvider(user.client, instance.model.url);
  const chatId = await createChat(user.client, await createAgent(user.client, { tools }));
  const socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
  let turns = 0;
  return async (content: string): Promise<readonly Call[]> => {
    turns += 1;
    socket.send({ type: 'message', content: `${content} [[then]] [[say done]]`, client_message_id: String(turns) });
    const end = await socket.waitForEnd(turns);
    return (end['metadata'] as { tool_calls_detail: readonly Call[] }).tool_calls_detail;
  };
}

async function tryTool(client: ApiClient, id: string, args: object = {}) {
  return client.post<Record<string, unknown>>(`/api/tools/${id}/test`, { arguments: args });
}

describe('an agent', () => {
  test('calls a request and a function of its organization', async () => {
    const user = await registerUser(instance.api.url);
    await createTool(
      user.client,
      request({
        method: 'POST',
        url: `${effects.url}/words/{{ word }}`,
        body: { word: '{{ word }}' },
        result: '"got " & body',
      }),
      { key: 'send_word' },
    );
    await createTool(user.client, script('return args.word.toUpperCase()'), { key: 'shout' });
    const say = await talkTo(user, ['send_word', 'shout']);
    const calls = await say('[[tool send_word {"word": "a/b"}]] [[tool shout {"word": "hey"}]]');
    expect(calls).toMatchObject([
      { name: 'send_word', status: 'success', result: expect.stringContaining('got done POST /words/a%2Fb') },
      { name: 'shout', status: 'success', result: 'HEY' },
    ]);
    expect(effects.at('/words/a%2Fb')).toMatchObject([{ method: 'POST', body: '{"word":"a/b"}' }]);
    expect(await say('[[tool shout {"loud": true}]]')).toMatchObject([
      { status: 'error', result: expect.stringContaining('must not have the property loud') },
    ]);
  });

  test('calls the tool as it is at each step, and the builtin one again once it was deleted', async () => {
    const user = await registerUser(instance.api.url);
    const say = await talkTo(user, ['time_now']);
    const id = await createTool(user.client, script('return "half past"'), { key: 'time_now' });
    const time = '[[tool time_now {}]]';
    expect(await say(time)).toMatchObject([{ status: 'success', result: 'half past' }]);
    const changed = { content: 'export default () => "noon"' };
    await user.client.send('PUT', `/api/tools/${id}/files/main.js`, changed);
    expect(await say(time)).toMatchObject([{ status: 'success', result: 'noon' }]);
    await user.client.delete(`/api/tools/${id}/files/main.js`);
    expect(await say(time)).toMatchObject([{ status: 'error', result: expect.stringContaining('main.js is missing') }]);
    await user.client.delete(`/api/tools/${id}`);
    expect(await say(time)).toMatchObject([{ status: 'success', result: expect.stringContaining('"zone":"UTC"') }]);
  });

  test('is not offered a tool that cannot be used, nor one of another organization', async () => {
    const [user, other] = [await registerUser(instance.api.url), await registerUser(instance.api.url)];
    await createTool(user.client, script('return 1', { runtime: 'shell' }), { key: 'broken' });
    await createTool(other.client, script('return 1'), { key: 'time_now' });
    const say = await talkTo(user, ['broken', 'time_now']);
    expect(await say('[[tool time_now {}]]')).toMatchObject([{ result: expect.stringContaining('"zone":"UTC"') }]);
    const offered = JSON.stringify(instance.model.requests.at(-1)?.body.tools);
    expect(offered).toContain('time_now');
    expect(offered).not.toContain('broken');
  });

  // What becomes of such a call when its worker is killed is shown by effect-ledger.test.ts.
  test('makes a call as one that must not happen twice, when its tool says so', async () => {
    const user = await registerUser(instance.api.url);
    const code = `return (await fetch('${effects.url}/hold/once', { method: 'POST' })).text()`;
    await createTool(user.client, script(code, { effect: 'once' }), { key: 'only_once' });
    const say = await talkTo(user, ['only_once']);
    const calls = say('[[tool only_once {}]]');
    await effects.waitFor('/hold/once');
    const { rows } = await instance.api.database.system.query(
      "select effect from tool_calls where name = 'only_once' and org_id = $1",
      [user.orgId],
    );
    effects.release();
    expect([rows, await calls]).toMatchObject([[{ effect: 'once' }], [{ name: 'only_once', status: 'success' }]]);
  });
});

describe('a list of tools', () => {
  test('says which cannot be used, and why', async () => {
    const { client } = await registerUser(instance.api.url);
    const id = await createTool(client, {}, { key: 'unfinished' });
    const shown = async () => {
      const { json } = await client.get<Record<string, unknown>[]>('/api/tools');
      const { json: one } = await client.get<Record<string, unknown>>(`/api/tools/${id}`);
      const listed = json.find((tool) => tool['id'] === id);
      expect(listed).toMatchObject({ usable: one['usable'], problem: one['problem'] });
      return listed;
    };
    expect(await shown()).toMatchObject({ usable: false, problem: 'tool.json is missing' });
    for (const [path, content] of Object.entries(script('return 1'))) {
      await client.send('PUT', `/api/tools/${id}/files/${path}`, { content });
    }
    expect(await shown()).toMatchObject({ usable: true, problem: null });
  });
});

describe('POST /api/tools/{tool_id}/test', () => {
  test('shows result, log and duration, and leaves nothing behind', async () => {
    const { client, orgId } = await registerUser(instance.api.url);
    const id = await createTool(client, script('log("asked for", args.word); return { word: args.word }'));
    expect(await tryTool(client, id, { word: 'x' })).toMatchObject({
      status: 200,
      json: { status: 'success', result: { word: 'x' }, logs: ['asked for x'], duration_ms: expect.any(Number) },
    });
    expect(await tryTool(client, id, { number: 1 })).toMatchObject({
      status: 200,
      json: { status: 'error', result: { error: { class: 'invalid_input', message: expect.any(String) } } },
    });
    const { rows } = await instance.api.database.system.query('select from tool_test_runs where org_id = $1', [orgId]);
    expect(rows).toEqual([]);
  });

  test('makes a call that must not happen twice', async () => {
    const { client } = await registerUser(instance.api.url);
    const id = await createTool(client, request({ method: 'DELETE', url: `${effects.url}/tried` }, { effect: 'once' }));
    expect(await tryTool(client, id)).toMatchObject({ status: 200, json: { status: 'success' } });
    expect(effects.at('/tried')).toMatchObject([{ method: 'DELETE' }]);
  });

  test('refuses what cannot be used, and tools of others', async () => {
    const { client } = await registerUser(instance.api.url);
    const id = await createTool(client, request({ method: 'GET', url: 'https://example.com/{{ secret.token }}' }));
    expect(await tryTool(client, id)).toMatchObject({
      status: 409,
      json: { detail: expect.stringContaining('credentials') },
    });
    const stranger = await registerUser(instance.api.url);
    expect((await tryTool(stranger.client, id)).status).toBe(404);
    expect((await client.post(`/api/tools/${id}/test`, { arguments: [] })).status).toBe(422);
  });
});
