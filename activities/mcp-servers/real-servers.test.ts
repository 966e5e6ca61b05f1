import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { McpConnection } from '../../db/mcp-servers/for-turn.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { mcpConnection, NO_DATABASE } from '../../test/support/mcp/mcp-connection.ts';
import { MEMORY_KEY, RealServer } from '../../test/support/mcp/real-server.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { withSession } from './mcp-client.ts';
import type { McpSession, SessionCall } from './sessions/mcp-session.ts';
import { McpSessions } from './mcp-sessions.ts';
import { readToolList } from './read-tool-list.ts';

const box = new SecretBox(['a'.repeat(44)]);
const never = new AbortController().signal;

let everything: RealServer;
let older: RealServer;
let memory: RealServer;
let guarded: ReturnType<typeof createGuardedFetch>;
let sessions: McpSessions;
beforeAll(async () => {
  [everything, older, memory] = await Promise.all([
    RealServer.everything(),
    RealServer.everything('sse'),
    RealServer.memory(),
  ]);
  guarded = createGuardedFetch(parsePrivateHosts('127.0.0.1:*'));
  sessions = new McpSessions({ fetch: guarded.fetch, database: NO_DATABASE, box });
});
afterEach(async () => sessions.close());
afterAll(async () => {
  await guarded.close();
  await Promise.all([everything, older, memory].map(async (server) => server.close()));
});

async function use<T>(server: McpConnection, work: (session: McpSession) => Promise<T>, mayRepeat = false): Promise<T> {
  return withSession(sessions, server, { signal: never, mayRepeat }, work);
}

const callOf = (name: string, args: Record<string, unknown> = {}, more: Partial<SessionCall> = {}): SessionCall => ({
  tool: { name, inputSchema: { type: 'object' } },
  args,
  key: undefined,
  timeoutMs: 60_000,
  maxTotalMs: 100_000,
  signal: never,
  ...more,
});

const withKey = (): McpConnection => mcpConnection(box, memory.url, { auth: ['header', `X-API-Key: ${MEMORY_KEY}`] });
const kinds: readonly (readonly [string, () => McpConnection, string])[] = [
  ['everything over Streamable HTTP', () => mcpConnection(box, everything.url), 'echo'],
  ['everything over server-sent events', () => mcpConnection(box, older.url), 'echo'],
  ['memory behind a proxy, with a secret header', withKey, 'read_graph'],
];

describe.each(kinds)('%s', (_what, connection, expected) => {
  test('lists its tools, with what it says of them', async () => {
    const { tools, leftOut } = await use(connection(), async (session) => readToolList(session, never));
    // The server of the protocol's project has one that shows how tasks are called.
    expect(leftOut.filter(({ reason }) => !reason.includes('as a task of the protocol'))).toEqual([]);
    expect(tools.length).toBeGreaterThan(5);
    expect(tools.find(({ name }) => name === expected)).toMatchObject({
      description: expect.stringMatching(/\w/),
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    });
  });
});

describe('a call', () => {
  test.each([
    ['over Streamable HTTP', () => everything],
    ['over server-sent events', () => older],
  ])('is answered %s, again and again in one session', async (_what, serverOf) => {
    const server = mcpConnection(box, serverOf().url);
    const answers: unknown[] = [];
    const seen = new Set<McpSession>();
    for (let count = 1; count <= 3; count += 1) {
      const { content } = await use(server, async (session) => {
        seen.add(session);
        return session.call(callOf('echo', { message: `hello ${count}` }));
      });
      answers.push(content);
    }
    expect(answers).toEqual([1, 2, 3].map((count) => [{ type: 'text', text: `Echo: hello ${count}` }]));
    expect(seen.size).toBe(1);
  });

  test('writes and reads at a server that speaks the protocol of 2026', async () => {
    const server = withKey();
    const entities = [{ name: 'Everturn', entityType: 'product', observations: ['is durable'] }];
    await use(server, async (session) => session.call(callOf('create_entities', { entities })));
    const read = await use(server, async (session) => session.call(callOf('read_graph')));
    expect(JSON.stringify(read)).toContain('is durable');
    const { session } = await sessions.get(server, never);
    expect(session.protocol).toEqual({ transport: 'http', isLegacy: false });
  });

  test('brings every kind of content', async () => {
    const server = mcpConnection(box, everything.url);
    const call = async (name: string, args = {}) => use(server, async (session) => session.call(callOf(name, args)));
    const types = async (name: string, args = {}) => new Set((await call(name, args)).content.map(({ type }) => type));
    expect(await types('get-tiny-image')).toEqual(new Set(['text', 'image']));
    expect(await types('get-resource-links')).toEqual(new Set(['text', 'resource_link']));
    expect(await types('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).toContain('resource');
    expect(await call('get-structured-content', { location: 'Chicago' })).toMatchObject({
      structuredContent: { conditions: expect.any(String) },
    });
  });

  test('of a tool that does not exist, or with arguments that do not fit, is an error in words', async () => {
    const server = mcpConnection(box, everything.url);
    for (const call of [callOf('no-such-tool'), callOf('get-sum', { a: 'x' })]) {
      expect(await use(server, async (session) => session.call(call))).toMatchObject({ isError: true });
    }
  });

  test('that takes longer than its time limit continues while the server reports progress', async () => {
    const server = mcpConnection(box, everything.url);
    const args = { duration: 11, steps: 22 };
    const call = callOf('trigger-long-running-operation', args, { timeoutMs: 10_000 });
    const { content } = await use(server, async (session) => session.call(call));
    expect(content).toMatchObject([{ type: 'text', text: expect.stringContaining('completed') }]);
  });

  test('ends soon after its signal aborts', async () => {
    const server = mcpConnection(box, everything.url);
    const controller = new AbortController();
    const call = callOf('trigger-long-running-operation', { duration: 30 }, { signal: controller.signal });
    const { session } = await sessions.get(server, never);
    const asked = session.call(call);
    asked.catch(() => undefined);
    // It is under way when a later call is answered.
    await session.call(callOf('echo', { message: 'x' }));
    controller.abort(new Error('interrupted'));
    await expect(asked).rejects.toThrow('interrupted');
  });
});

describe('the session with a server', () => {
  test.each([
    ['over Streamable HTTP', () => everything],
    ['over server-sent events', () => older],
  ])('is opened anew after the server was started again %s', async (_what, serverOf) => {
    const server = mcpConnection(box, serverOf().url);
    const echo = async () => use(server, async (session) => session.call(callOf('echo', { message: 'x' })), true);
    await echo();
    await serverOf().startAgain();
    expect(await echo()).toMatchObject({ content: [{ text: 'Echo: x' }] });
  });

  test.each([
    ['over Streamable HTTP', () => everything],
    ['over server-sent events', () => older],
  ])('tells of a server that dies in the middle of a call at once %s', async (_what, serverOf) => {
    const server = mcpConnection(box, serverOf().url);
    const { session } = await sessions.get(server, never);
    const asked = session.call(callOf('trigger-long-running-operation', { duration: 30, steps: 30 }));
    asked.catch(() => undefined);
    await session.call(callOf('echo', { message: 'x' }));
    await serverOf().kill();
    // One that waited for the limit would fail with `timeout`.
    await expect(asked).rejects.toMatchObject({ name: 'McpFailure', kind: 'upstream', mayHaveRun: true });
    await serverOf().startAgain();
  });

  test('is another one for another secret, and none for a wrong one', async () => {
    const server = withKey();
    const { session } = await sessions.get(server, never);
    const rotated = { ...withKey(), orgId: server.orgId, id: server.id };
    const authValue = box.seal('X-API-Key: wrong', `mcp_servers/${server.orgId}/${server.id}`);
    await expect(sessions.get({ ...rotated, authValue }, never)).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('credentials'),
    });
    expect(session.isUsable).toBe(false);
  });

  test('is never shared by two organizations', async () => {
    const [one, two] = [mcpConnection(box, everything.url), mcpConnection(box, everything.url)];
    const [first, second] = await Promise.all([sessions.get(one, never), sessions.get(two, never)]);
    expect(first.session).not.toBe(second.session);
    const echoes = Array.from({ length: 100 }, async (_, index) => {
      const message = `${index}`;
      const { content } = await use(index % 2 === 0 ? one : two, async (session) =>
        session.call(callOf('echo', { message })),
      );
      return content;
    });
    const expected = echoes.map((_, index) => [{ type: 'text', text: `Echo: ${index}` }]);
    expect(await Promise.all(echoes)).toEqual(expected);
  });
});
