import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { SecretBox } from '../../../db/core/secret-box.ts';
import type { McpConnection } from '../../../db/mcp-servers/for-turn.ts';
import { parseMcpCatalog } from '../../../domain/mcp-servers.ts';
import { parsePrivateHosts } from '../../../domain/network/addresses.ts';
import { mcpConnection, NO_DATABASE } from '../../../test/support/mcp/mcp-connection.ts';
import { makeProgramCatalog, type ProgramCatalog } from '../../../test/support/mcp/program-catalog.ts';
import { OWN_PAYERS } from '../../../test/support/own-payer.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../../../test/support/test-sandbox.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { createGuardedFetch } from '../../core/network/guarded-fetch.ts';
import { withSession } from '../mcp-client.ts';
import { McpSessions } from '../mcp-sessions.ts';
import { readToolList } from '../read-tool-list.ts';
import { McpPrograms } from '../mcp-programs.ts';

const box = new SecretBox(['a'.repeat(44)]);
const never = new AbortController().signal;
const SECRET = 'a-secret-of-the-program';

describeSandboxed('a server that is a program of the operator', () => {
  let catalog: ProgramCatalog;
  let sandbox: TestSandbox;
  let guarded: ReturnType<typeof createGuardedFetch>;
  let sessions: McpSessions;
  beforeAll(async () => {
    catalog = makeProgramCatalog();
    sandbox = await openTestSandbox();
    guarded = createGuardedFetch(parsePrivateHosts(''));
  });
  beforeEach(() => {
    const programs = new McpPrograms({
      catalog: parseMcpCatalog(catalog.json),
      payers: OWN_PAYERS,
      sandbox: sandbox.sandbox,
    });
    sessions = new McpSessions({ fetch: guarded.fetch, database: NO_DATABASE, box, programs });
  });
  afterEach(async () => sessions.close());
  afterAll(async () => {
    await guarded.close();
    await sandbox.close();
    catalog.remove();
  });

  const added = (key: string, orgId: string = randomUUID()): McpConnection =>
    mcpConnection(box, `stdio:${key}`, { orgId, ...(key === 'small' && { auth: ['bearer', SECRET] as const }) });

  interface Options {
    readonly args?: Record<string, unknown>;
    readonly signal?: AbortSignal;
    readonly mayRepeat?: boolean;
  }

  async function call(server: McpConnection, name: string, { args = {}, signal = never, mayRepeat }: Options = {}) {
    const options = { signal, mayRepeat: mayRepeat === true };
    const tool = { name, inputSchema: { type: 'object' } };
    const { content } = await withSession(sessions, server, options, async (session) =>
      session.call({ tool, args, key: undefined, timeoutMs: 60_000, maxTotalMs: 100_000, signal }),
    );
    const [first] = content;
    return first?.type === 'text' ? first.text : JSON.stringify(content);
  }

  const inspect = async (server: McpConnection) =>
    JSON.parse(await call(server, 'look')) as {
      pid: number;
      uid: number;
      env: Record<string, string>;
      files: string[];
      root: string[];
    };

  test('is started for its organization, answers in one process, and finds its secret and nothing else', async () => {
    const server = added('small');
    expect([await call(server, 'count'), await call(server, 'count')]).toEqual(['1', '2']);
    const { uid, env, files, root } = await inspect(server);
    expect(uid).not.toBe(0);
    expect(env).toMatchObject({ TOKEN: SECRET, MODE: 'test', HOME: '/tmp' });
    expect(Object.keys(env).filter((name) => /SECRET|DATABASE|TEMPORAL|EVERTURN|npm/i.test(name))).toEqual([]);
    expect(files).toEqual([]);
    expect(root.filter((name) => ['root', 'home', 'var', 'opt', 'srv'].includes(name))).toEqual([]);
  });

  test('has a folder and a process of its own in each organization', async () => {
    const [one, other] = [added('plain'), added('plain')];
    expect(await call(one, 'save', { args: { word: 'mine' } })).toBe('mine');
    expect([(await inspect(one)).files, (await inspect(other)).files]).toEqual([['saved'], []]);
    expect([await call(one, 'count'), await call(other, 'count')]).toEqual(['1', '1']);
  });

  test('of others is spoken to, too', async () => {
    const server = added('everything');
    const { tools } = await withSession(sessions, server, { signal: never, mayRepeat: true }, async (session) =>
      readToolList(session, never),
    );
    expect(tools.length).toBeGreaterThan(5);
    expect(await call(server, 'echo', { args: { message: 'hello' } })).toContain('hello');
  });

  test('that dies in a call is reported at once, may have done it, and is started again for the next one', async () => {
    const server = added('small');
    await call(server, 'count');
    const failure = { kind: 'upstream', mayHaveRun: true, isForeign: true };
    await expect(call(server, 'die')).rejects.toMatchObject({
      ...failure,
      message: 'The program of the server has ended; its last words: killed with ***',
    });
    expect(await call(server, 'count')).toBe('1');
  });

  test('that dies again and again is not started for a while', async () => {
    const server = added('plain');
    const failures: string[] = [];
    for (let count = 0; count < 3; count += 1)
      failures.push(await call(server, 'die_reading', { mayRepeat: true }).catch((error: Error) => error.message));
    expect(failures.at(-1)).toContain('has ended 3 times within a minute');
    await expect(call(server, 'count')).rejects.toThrow('has ended 3 times within a minute');
    expect(await call(added('plain'), 'count')).toBe('1');
  });

  test('that cannot start says its last words, without the secret, and has not run', async () => {
    await expect(call(added('broken'), 'count')).rejects.toMatchObject({
      mayHaveRun: false,
      message: expect.stringContaining('its last words: cannot start with'),
    });
  });

  test.each([
    ['flood', 'more than 5242880 bytes'],
    ['deep', 'nests more than'],
    ['endless', 'more than 20000 lines'],
    ['hoard', 'it exceeded its memory limit'],
  ])('that takes too much (%s) is ended, and others go on', async (name, words) => {
    const [hostile, other] = [added('plain'), added('plain')];
    await expect(call(hostile, name)).rejects.toMatchObject({ message: expect.stringContaining(words) });
    expect(await call(other, 'count')).toBe('1');
    expect(await call(hostile, 'count')).toBe('1');
  });

  test('is notified that a call was interrupted, at once', async () => {
    const [server, stop] = [added('plain'), new AbortController()];
    const running = call(server, 'hang', { signal: stop.signal });
    await waitUntil('the call', async () => (await inspect(server)).files.includes('hung') || undefined);
    stop.abort(new Error('interrupted'));
    await expect(running).rejects.toThrow('interrupted');
  });

  test('ends for another one that is not in use, and with its sessions', async () => {
    const orgs = [randomUUID(), randomUUID(), randomUUID()];
    const servers = Array.from({ length: 10 }, (_, at) => added('plain', orgs[at % 3]));
    for (const server of servers) expect(await call(server, 'count')).toBe('1');
    // The first one has ended meanwhile, and begins anew.
    expect([
      await call(servers[9] as McpConnection, 'count'),
      await call(servers[0] as McpConnection, 'count'),
    ]).toEqual(['2', '1']);
  });

  test('is refused in words when the operator no longer offers it, or there is no sandbox', async () => {
    await expect(call(added('gone'), 'count')).rejects.toMatchObject({ kind: 'denied', mayHaveRun: false });
    const off = await openTestSandbox({ mode: 'off' });
    const programs = new McpPrograms({
      catalog: parseMcpCatalog(catalog.json),
      payers: OWN_PAYERS,
      sandbox: off.sandbox,
    });
    const none = new McpSessions({ fetch: guarded.fetch, database: NO_DATABASE, box, programs });
    await expect(none.get(added('plain'), never)).rejects.toMatchObject({
      kind: 'denied',
      message: expect.stringContaining('There is no sandbox here to run this MCP server in'),
    });
    await off.close();
  });
});
