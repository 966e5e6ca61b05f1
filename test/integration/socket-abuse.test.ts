import { hkdfSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectTo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt, SignJWT } from 'jose';
import { WebSocket } from 'ws';
import type { SocketClient } from '../support/socket-client.ts';
import type { TestApi } from '../support/test-api.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { sendRaw } from '../support/raw-http.ts';
import { StubbornClient } from '../support/stubborn-client.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { moveAway, OpenChat } from './open-chat.ts';

let instance: TestInstance;
let otherApi: TestApi;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
  otherApi = await instance.addApi();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

/** Tries to connect and answers what HTTP said; fails when the upgrade succeeds. */
async function refusal(path: string): Promise<{ status: number | undefined; type: unknown; body: unknown }> {
  const socket = new WebSocket(`${instance.api.url.replace('http', 'ws')}${path}`);
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  const parts = await response.toArray();
  socket.terminate();
  const type = response.headers['content-type'];
  return { status: response.statusCode, type, body: JSON.parse(Buffer.concat(parts as Buffer[]).toString()) };
}

/** The close that a page is told of when its browser, which says where the page is from, tries to connect. */
async function closeOfPage(path: string, protocols: string[] = []): Promise<[code: number, reason: string]> {
  const url = `${instance.api.url.replace('http', 'ws')}${path}`;
  const socket = new WebSocket(url, protocols, { origin: 'https://console.example' });
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return [code, reason.toString()];
}

async function closeOf(socket: SocketClient): Promise<number> {
  return waitUntil('the socket to close', () => socket.closeCode);
}

async function expectUsable(socket: SocketClient): Promise<void> {
  const pongs = socket.frames.filter(({ type }) => type === 'pong').length;
  socket.send({ type: 'ping' });
  await socket.waitFor('pong', ({ type }) => type === 'pong', pongs + 1);
}

/** An access token like those of the api, with another expiry. */
async function tokenExpiring(seconds: number): Promise<string> {
  const key = new Uint8Array(hkdfSync('sha256', TEST_SECRET_KEY, 'everturn', 'session tokens', 32));
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ sid: decodeJwt(chat.user.accessToken)['sid'] })
    .setProtectedHeader({ alg: 'HS256', typ: 'access+jwt' })
    .setIssuer('everturn')
    .setAudience('access')
    .setIssuedAt(now - 60)
    .setExpirationTime(now + seconds)
    .sign(key);
}

/** Asks with a token that expires soon: with one that lasts longer, when that one was refused as it came too late. */
async function beforeExpiry<T>(ask: (token: string) => Promise<T | undefined>): Promise<T> {
  for (let seconds = 2; seconds < 100; seconds *= 4) {
    const answer = await ask(await tokenExpiring(seconds));
    if (answer !== undefined) return answer;
  }
  throw new Error('no token was taken in time');
}

async function createKey(): Promise<{ id: string; key: string }> {
  const { json } = await chat.user.client.post<{ id: string; key: string }>('/api/users/me/api-keys', { name: 'k' });
  return json;
}

describe('an upgrade', () => {
  test('is refused with 401 and JSON, when the token is missing, wrong or doubled', async () => {
    chat = await OpenChat.create(instance);
    const path = `/ws/chat/${chat.id}`;
    const { accessToken, refreshToken } = chat.user;
    const queries = [
      '',
      '?token=',
      '?token=garbage',
      `?token=${accessToken}x`,
      `?token=${refreshToken}`,
      `?token=${accessToken}&token=${accessToken}`,
      '?token=et_key_0123456789abcdef0123456789abcdef',
    ];
    const answers = await Promise.all(queries.map((query) => refusal(`${path}${query}`)));
    expect(answers).toEqual(
      queries.map(() => ({
        status: 401,
        type: 'application/json; charset=utf-8',
        body: { detail: 'Missing or invalid token' },
      })),
    );
  });

  test('is refused with the same 404, when the chat is foreign, unknown, deleted or no id at all', async () => {
    const stranger = await OpenChat.create(instance);
    chat = await OpenChat.create(instance);
    const deleted = await chat.another();
    await chat.user.client.delete(`/api/chats/${deleted.id}`);
    const ids = [stranger.id, randomUUID(), deleted.id, 'x', '%00', '..'];
    const answers = await Promise.all(
      ids.map((id) => refusal(`/ws/chat/${id === '..' ? '%2e%2e%2f' : id}?token=${chat.user.accessToken}`)),
    );
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      ids.map(() => [404, { detail: 'Chat not found' }]),
    );
  });

  test('of a page is closed with a code and a reason, when it is refused', async () => {
    const stranger = await OpenChat.create(instance);
    chat = await OpenChat.create(instance);
    const path = `/ws/chat/${chat.id}`;
    const token = `token=${chat.user.accessToken}`;
    expect(await closeOfPage(path)).toEqual([4401, 'Missing or invalid token']);
    expect(await closeOfPage(`${path}?token=garbage`, ['chat', 'other'])).toEqual([4401, 'Missing or invalid token']);
    expect(await closeOfPage(`${path}?token=${await tokenExpiring(-1)}`)).toEqual([4401, 'The token has expired']);
    expect(await closeOfPage(`/ws/chat/${stranger.id}?${token}`)).toEqual([4404, 'Chat not found']);
    expect(await closeOfPage(`/ws/chat/x?${token}`)).toEqual([4404, 'Chat not found']);
    expect(await closeOfPage(`${path}?${token}&org_id=${randomUUID()}`)).toEqual([4404, 'Chat not found']);
  });

  test('of a page leaves no connection behind, when it is refused and the page does not hang up', async () => {
    chat = await OpenChat.create(instance);
    const { hostname, port } = new URL(instance.api.url);
    const client = connectTo({ host: hostname, port: Number(port), allowHalfOpen: true });
    const head = [
      `GET /ws/chat/${chat.id}?token=garbage HTTP/1.1`,
      `Host: ${hostname}`,
      'Origin: https://console.example',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    client.write(`${head.join('\r\n')}\r\n\r\n`);
    const answer = Buffer.concat((await client.toArray()) as Buffer[]).toString('latin1');
    expect(answer).toMatch(/^HTTP\/1\.1 101 .*Missing or invalid token$/s);
    // What is sent to a connection that nobody holds any more is answered with a reset.
    let failure: unknown;
    client.on('error', (error) => (failure = error));
    await waitUntil('the connection to be gone', () => {
      client.write('x');
      return failure === undefined ? undefined : true;
    });
    client.destroy();
  });

  test('is let in to a chat of another organization than the active one, for the right to that alone', async () => {
    chat = await OpenChat.create(instance);
    const { json: key } = await chat.user.client.post<{ key: string }>('/api/users/me/api-keys', { name: 'there' });
    const orgId = await moveAway(chat);
    const path = `/ws/chat/${chat.id}?token=`;
    const { json: me } = await chat.user.client.get<{ active_org_id: string }>('/api/users/me');
    const { json: elsewhere } = await chat.user.client.post<{ key: string }>('/api/users/me/api-keys', {
      name: 'here',
    });
    for (const token of [chat.user.accessToken, key.key]) await expectUsable(await chat.connect(undefined, token));
    const [named, active] = [orgId, me.active_org_id].map((id) => `${path}${chat.user.accessToken}&org_id=${id}`);
    const socket = new WebSocket(`${instance.api.url.replace('http', 'ws')}${named}`);
    await once(socket, 'open');
    socket.terminate();
    for (const refused of [`${path}${elsewhere.key}`, active ?? '']) expect((await refusal(refused)).status).toBe(404);
  });

  test('is refused with 404, when the path is another', async () => {
    chat = await OpenChat.create(instance);
    const token = `?token=${chat.user.accessToken}`;
    for (const path of ['/', '/ws', `/ws/chat/${chat.id}/x`, `/api/chats/${chat.id}`, `//x/ws/chat/${chat.id}`]) {
      expect((await refusal(`${path}${token}`)).status).toBe(404);
    }
  });

  test('is refused with 400 and JSON, when it is not a handshake of version 13', async () => {
    chat = await OpenChat.create(instance);
    const lines = {
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    };
    const path = `/ws/chat/${chat.id}?token=${chat.user.accessToken}`;
    for (const [name, value] of [
      ['Upgrade', 'h2c'],
      ['Sec-WebSocket-Version', '8'],
      ['Sec-WebSocket-Key', 'short'],
    ] as const) {
      const headers = Object.entries({ ...lines, [name]: value }).map((pair) => pair.join(': '));
      const head = [`GET ${path} HTTP/1.1`, ...headers, 'Connection: Upgrade'].join('\r\n');
      const { status, text } = await sendRaw(instance.api.url, { head });
      expect([name, status, text]).toEqual([name, 400, expect.stringContaining('{"detail":"This is not a handshake')]);
    }
  });

  test('is let through with a bearer token in its head', async () => {
    chat = await OpenChat.create(instance);
    const url = `${instance.api.url.replace('http', 'ws')}/ws/chat/${chat.id}`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${chat.user.accessToken}` } });
    await once(socket, 'open');
    socket.terminate();
  });

  test('is let through with an API key', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect(instance.api.url, (await createKey()).key);
    socket.send({ type: 'message', content: '[[say hi]]' });
    expect((await socket.waitForEnd())['content']).toBe('hi');
  });
});

describe('a frame', () => {
  const tooLong = 'x'.repeat(200_001);
  const faulty: readonly [what: string, frame: string][] = [
    ['no JSON', '{"type":'],
    ['empty', ''],
    ['null', 'null'],
    ['an array', '[{"type":"ping"}]'],
    ['a number', '42'],
    ['a text', '"ping"'],
    ['nested ten thousand deep', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['without a type', '{"content":"x"}'],
    ['of an unknown type', '{"type":"shout"}'],
    ['of a type that is an object', '{"type":{"type":"ping"}}'],
    ['of a type that only prototypes have', '{"__proto__":{"type":"ping"}}'],
    ['a chunk', '{"type":"chunk","content":"x"}'],
    ['a stream_end', `{"type":"stream_end","content":"x","message_id":"${randomUUID()}"}`],
    ['a pong', '{"type":"pong"}'],
    ['a message without content', '{"type":"message"}'],
    ['a message of nothing', '{"type":"message","content":""}'],
    ['a message of blanks', '{"type":"message","content":" \\n\\t "}'],
    ['a message of an object', '{"type":"message","content":{"a":1}}'],
    ['a message with NUL', '{"type":"message","content":"a\\u0000b"}'],
    ['a message with half a character', '{"type":"message","content":"a\\ud800b"}'],
    ['a message that is too long', JSON.stringify({ type: 'message', content: tooLong })],
    ['a message whose id is empty', '{"type":"message","content":"x","client_message_id":""}'],
    ['a message whose id is an object', '{"type":"message","content":"x","client_message_id":{}}'],
    ['a message whose id holds NUL', '{"type":"message","content":"x","client_message_id":"\\u0000"}'],
    ['a message whose id is too long', JSON.stringify({ type: 'message', content: 'x', client_message_id: tooLong })],
  ];

  test('is answered with an error and stores nothing, whatever is wrong with it, and the socket stays', async () => {
    chat = await OpenChat.create(instance);
    const other = await chat.connect();
    for (const [what, frame] of faulty) {
      const socket = await chat.connect();
      socket.send(frame);
      const answer = await socket.waitFor(what, () => true);
      expect([what, Object.keys(answer), answer.type]).toEqual([what, ['type', 'message'], 'error']);
      expect(String(answer['message']).length).toBeLessThan(200);
      await expectUsable(socket);
      socket.close();
    }
    expect(other.frames).toEqual([]);
    expect(await chat.messages()).toEqual([]);
  });

  test('closes the socket with 1008, when it is the tenth faulty one', async () => {
    chat = await OpenChat.create(instance);
    const [socket, other] = [await chat.connect(), await chat.connect()];
    for (let n = 0; n < 9; n += 1) socket.send('nonsense');
    await expectUsable(socket);
    socket.send('nonsense');
    expect(await closeOf(socket)).toBe(1008);
    expect(socket.frames.filter(({ type }) => type === 'error')).toHaveLength(10);
    await expectUsable(other);
  });

  test('closes the socket with 1008 in the end, when far too many come', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    for (let n = 0; n < 200; n += 1) socket.send({ type: 'ping' });
    expect(await closeOf(socket)).toBe(1008);
    expect(socket.frames.filter(({ type }) => type === 'pong').length).toBeGreaterThanOrEqual(40);
  });

  test.each(['ping', 'pong'] as const)(
    'closes the socket with 1008 in the end, also when it is a %s of the protocol',
    async (kind) => {
      chat = await OpenChat.create(instance);
      const socket = await chat.connect();
      // More than those that `ws` answers before it hangs up without a close frame.
      for (let n = 0; n < 5_000; n += 1) socket.socket[kind]('x'.repeat(125));
      expect(await closeOf(socket)).toBe(1008);
      expect(socket.frames.at(-1)).toEqual({ type: 'error', message: 'Too many frames; wait a moment' });
    },
  );

  test('that is faulty does not end the turn that runs', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    const gate = `abuse-${chat.id}`;
    socket.send({ type: 'message', content: `[[hold ${gate} after 1 chunk]]` });
    await waitUntil('a word', () => (socket.text === 'w1' ? true : undefined));
    socket.send('nonsense');
    await socket.waitFor('error', ({ type }) => type === 'error');
    instance.model.release(gate);
    const end = await socket.waitFor('stream_end', ({ type }) => type === 'stream_end');
    expect(end['content']).toBe('w1 w2 w3 w4 w5 w6');
  });

  test('closes the socket with 1003, when it is binary', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    socket.socket.send(Buffer.from('{"type":"ping"}'));
    expect(await closeOf(socket)).toBe(1003);
  });

  test('closes the socket with 1007, when it is not UTF-8', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    socket.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await closeOf(socket)).toBe(1007);
  });

  test('closes the socket with 1009 and no other one, when it is longer than 1 MiB', async () => {
    chat = await OpenChat.create(instance);
    const [socket, fragmented, other] = [await chat.connect(), await chat.connect(), await chat.connect()];
    socket.send('x'.repeat(1024 * 1024 + 1));
    for (let n = 0; n < 17; n += 1) fragmented.socket.send('x'.repeat(64 * 1024), { fin: false });
    expect([await closeOf(socket), await closeOf(fragmented)]).toEqual([1009, 1009]);
    await expectUsable(other);
  });

  test('gets a pong and nothing more, when it is a ping', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    socket.send({ type: 'ping' });
    expect(await socket.waitFor('pong', () => true)).toEqual({ type: 'pong' });
  });

  test('is refused with an error in words, when the chat holds a hundred unanswered messages', async () => {
    chat = await OpenChat.create(instance);
    const gate = `full-${chat.id}`;
    await chat.post({ content: `[[hold ${gate}]]` });
    // In batches, and not read to the end: a user may have 50 connections open.
    for (let batch = 0; batch < 9; batch += 1) {
      const streams = await Promise.all(Array.from({ length: 11 }, () => chat.post({ content: 'x' })));
      for (const stream of streams) stream.close();
    }
    const socket = await chat.connect();
    socket.send({ type: 'message', content: 'one more' });
    const error = await socket.waitFor('error', ({ type }) => type === 'error');
    expect(error['message']).toContain('100 unanswered messages');
    expect((await chat.post({ content: 'one more' })).status).toBe(429);
    await chat.user.client.delete(`/api/chats/${chat.id}`);
    instance.model.release(gate);
  });
});

describe('sockets and streams of a user', () => {
  const status = async (open: Promise<SocketClient | { readonly status: number; readonly problem: unknown }>) =>
    open.then(
      (client) => ('status' in client ? client.status : 101),
      () => 429,
    );

  test('are 50 at most at a process, however many come at once, and a message beyond that is not stored', async () => {
    chat = await OpenChat.create(instance);
    const gate = `many-${chat.id}`;
    await chat.post({ content: `[[hold ${gate} after 1 chunk]]` });
    const path = `/ws/chat/${chat.id}?token=${chat.user.accessToken}`;
    const arrivals = Array.from({ length: 70 }, async (_, index) =>
      status(index % 2 === 0 ? chat.connect() : chat.attach()),
    );
    const codes = await Promise.all(arrivals);
    expect(codes.filter((code) => code !== 429)).toHaveLength(49);
    expect(await refusal(path)).toMatchObject({
      status: 429,
      body: { detail: 'You have 50 open connections, counting sockets and event streams; close one first' },
    });
    expect(await closeOfPage(path)).toEqual([1013, expect.stringMatching(/^You have 50 open.*try again in 5 s$/)]);
    const refused = await chat.post({ content: 'never stored' });
    expect([refused.status, JSON.stringify(refused.problem)]).toEqual([429, expect.stringContaining('50 open')]);
    expect((await chat.messages()).filter(({ content }) => content === 'never stored')).toEqual([]);
    const elsewhere = await chat.post({ content: '[[say elsewhere]]' }, { apiUrl: otherApi.url });
    expect(elsewhere.status).toBe(200);
    chat.close();
    const again = async () => ((await status(chat.connect())) === 101 ? true : undefined);
    await waitUntil('a socket to be let in', again);
    instance.model.release(gate);
  });
});

describe('an open socket', () => {
  /** Runs the change and answers the codes with which sockets of two apis closed within the limit. */
  async function closesAfter(token: string, change: () => Promise<unknown>): Promise<number[]> {
    return closesOf(await connectBoth(token), change);
  }

  const connectBoth = async (token: string) => [
    await chat.connect(instance.api.url, token),
    await chat.connect(otherApi.url, token),
  ];

  async function closesOf(sockets: readonly SocketClient[], change: () => Promise<unknown>): Promise<number[]> {
    await change();
    const codes = await Promise.all(sockets.map((socket) => closeOf(socket)));
    expect(sockets.flatMap(({ frames }) => frames)).toEqual([]);
    return codes;
  }

  test.each([
    ['revoked', async (id: string) => chat.user.client.delete(`/api/users/me/api-keys/${id}`)],
    ['rotated', async (id: string) => chat.user.client.post(`/api/users/me/api-keys/${id}/rotate`)],
  ])('is closed with 4401 at every api, when its key is %s, and others stay', async (_how, change) => {
    chat = await OpenChat.create(instance);
    const { id, key } = await createKey();
    const other = await chat.connect();
    expect(await closesAfter(key, async () => change(id))).toEqual([4401, 4401]);
    await expectUsable(other);
  });

  test('is closed with 4401 at every api, when its session is signed out', async () => {
    chat = await OpenChat.create(instance);
    const { accessToken, client } = chat.user;
    expect(await closesAfter(accessToken, async () => client.post('/api/auth/logout'))).toEqual([4401, 4401]);
  });

  test('works off all that its client sends at once, in order, however large the frames are', async () => {
    chat = await OpenChat.create(instance);
    const socket = await chat.connect();
    const sent = Array.from({ length: 8 }, (_, index) => `[[say ok]] ${index} ${'€'.repeat(150_000)}`);
    for (const content of sent) socket.send({ type: 'message', content });
    const stored = async () =>
      instance.api.database.system.query<{ content: string }>(
        "select left(content, 15) as content from messages where chat_id = $1 and role = 'user' order by id",
        [chat.id],
      );
    const { rows } = await waitUntil('the last one', async () => {
      const found = await stored();
      return found.rows.length === sent.length ? found : undefined;
    });
    expect(rows.map(({ content }) => content)).toEqual(sent.map((content) => content.slice(0, 15)));
    await expectUsable(socket);
  });

  test('does nothing more that its client sends, and is cut off, when its key was revoked and the client stays', async () => {
    chat = await OpenChat.create(instance);
    const { id, key } = await createKey();
    const client = await StubbornClient.connect(instance.api.url, chat.id, key);
    client.send({ type: 'message', content: '[[say before]]', client_message_id: 'before' });
    const messages = async () =>
      (await chat.user.client.get<{ content: string }[]>(`/api/chats/${chat.id}/messages`)).json;
    await waitUntil('the answer', async () => ((await messages()).length === 2 ? true : undefined));
    await chat.user.client.delete(`/api/users/me/api-keys/${id}`);
    await waitUntil('the close frame', () => client.hasCloseFrame || undefined);
    client.send({ type: 'message', content: '[[say after]]', client_message_id: 'after' });
    await waitUntil('the end of the connection', () => client.isCutOff || undefined);
    expect((await messages()).map(({ content }) => content)).toEqual(['[[say before]]', 'before']);
  });

  test('is closed with 4401, when its token expires', async () => {
    chat = await OpenChat.create(instance);
    const sockets = await beforeExpiry(async (token) =>
      connectBoth(token).catch((error: unknown) => {
        if (String(error).includes('401')) return undefined;
        throw error;
      }),
    );
    expect(await closesOf(sockets, async () => undefined)).toEqual([4401, 4401]);
  });

  test('ends like a stream of events, when its token expires', async () => {
    chat = await OpenChat.create(instance);
    const response = await beforeExpiry(async (token) => {
      const answer = await fetch(`${instance.api.url}/api/chats/${chat.id}/stream`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ content: '[[silent]]' }),
      });
      return answer.status === 401 ? undefined : answer;
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/event: error\ndata: {"message":"The token has expired"}\n\n$/);
  });

  test('is closed with 4404 at every api, when its chat is deleted, and those of other chats stay', async () => {
    chat = await OpenChat.create(instance);
    const other = await chat.another();
    const stays = await other.connect();
    const { accessToken, client } = chat.user;
    expect(await closesAfter(accessToken, async () => client.delete(`/api/chats/${chat.id}`))).toEqual([4404, 4404]);
    await expectUsable(stays);
    stays.close();
  });
});
