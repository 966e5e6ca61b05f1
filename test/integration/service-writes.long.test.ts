import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { SMTPServer } from 'smtp-server';
import { SecretBox } from '../../db/core/secret-box.ts';
import { sealGrant } from '../../db/integrations/grants.ts';
import { MAY_HAVE_TAKEN_EFFECT } from '../../domain/tool-calls/tool-call.ts';
import { createChat, createProvider } from '../support/factories.ts';
import { HostileMcpServer, metaOf } from '../support/mcp/hostile-mcp-server.ts';
import { MediaServer } from '../support/media-server.ts';
import { json, OutsideServer, type SeenRequest } from '../support/outside-server.ts';
import { registerColleague } from '../support/people.ts';
import { pngOf } from '../support/picture.ts';
import { RedisFake } from '../support/redis-fake.ts';
import { KNOWN_WRITES, readAt, TOKEN, writeOf } from '../support/services/writes/index.ts';
import { sharedPostgres } from '../support/shared-services.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { SocketClient } from '../support/socket-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

/** A call of a tool, most of which write, and what the world outside sees of it. */
interface Write {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly effect: 'keyed' | 'once' | 'read';
  /** What says to the other side that two requests are the same, for each request that it has seen. */
  readonly seen: () => Promise<readonly unknown[]> | readonly unknown[];
  /** How often one is asked for that may be made again. */
  readonly times?: number;
}

type Fields = Readonly<Record<string, unknown>>;

const CALLS_OF_TURN = 25;
const ROLE = `writers_${process.pid}`;
/** The number of the lock that holds the statement. */
const LOCK = 4712;
const GOOGLE_CLIENT = { client_id: 'our-client', client_secret: 'the-secret-of-the-client' };

let service: OutsideServer;
let media: MediaServer;
let mcp: HostileMcpServer;
let redis: RedisFake;
let mail: SMTPServer;
let store: TestDatabase;
let admin: pg.Client;
let instance: TestInstance;
let isBlocking = true;
let mails = 0;
beforeAll(async () => {
  [service, redis, media, mcp, store] = await Promise.all([
    OutsideServer.start(),
    RedisFake.start(),
    MediaServer.start(pngOf(4, 4)),
    HostileMcpServer.start(),
    createTestDatabase(),
  ]);
  service.reply = (response, request) => {
    const write = writeOf(request);
    // What is held was done: the answer alone is missing.
    if (write !== undefined && isBlocking) return;
    if (write === undefined) json(readAt(request, service.seen.filter(writeOf)) ?? {})(response, request);
    else if (write.again !== undefined) json(write.again.answer, write.again.status)(response, request);
    else if (write.answer === undefined) response.writeHead(204).end();
    else json(write.answer)(response, request);
  };
  redis.reply = ([name]) => ((name === 'INCR' || name === 'SET') && isBlocking ? undefined : '+OK\r\n');
  media.behaviour = { blocks: true };
  mcp.tools = [
    { name: 'once', description: 'Acts.', inputSchema: { type: 'object' } },
    { name: 'keyed', description: 'Acts.', inputSchema: { type: 'object' }, annotations: { idempotentHint: true } },
    { name: 'read', description: 'Reads.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  ];
  mcp.onCall = ({ result }) => {
    if (!isBlocking) result({ content: [{ type: 'text', text: 'done at last' }] });
  };
  mail = new SMTPServer({
    hideSTARTTLS: true,
    authOptional: true,
    disabledCommands: ['AUTH'],
    onData: (stream) => void text(stream).then(() => (mails += 1)),
  });
  const listening = mail.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  mail.on('error', () => undefined);
  admin = await openStore(new URL(store.url));
  instance = await startTestInstance();
});
afterAll(async () => {
  await instance.close();
  service.close();
  media.close();
  mcp.close();
  redis.close();
  mail.close();
  await admin.query(`drop owned by ${ROLE}`);
  await admin.query(`drop role ${ROLE}`);
  await admin.end();
  await store.drop();
});

/** Makes a table whose rows come in when a lock is free, and a sequence that counts the attempts, even those undone. */
async function openStore({ pathname }: URL): Promise<pg.Client> {
  const url = new URL((await sharedPostgres()).adminUrl);
  url.pathname = pathname;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create role ${ROLE} login password '${TOKEN}'`);
  await client.query('create table herons (id serial primary key, name text)');
  await client.query(`create function wait() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(${LOCK}); return new; end $$`);
  await client.query('create trigger waits before insert on herons for each row execute function wait()');
  await client.query(`grant insert on herons to ${ROLE}`);
  await client.query(`grant usage on sequence herons_id_seq to ${ROLE}`);
  await client.query(`select pg_advisory_lock(${LOCK})`);
  return client;
}

const OVER_HTTP: readonly Write[] = KNOWN_WRITES.flatMap(({ writes }) =>
  writes.map((write) => ({
    tool: write.tool,
    arguments: write.arguments,
    effect: write.effect,
    times: write.isFoundByReading === true ? 1 : 2,
    seen: () => requestsOf(write).map((request) => write.keyOf?.(request) ?? `${request.url} ${request.body}`),
  })),
);

function requestsOf(write: ReturnType<typeof writeOf>): readonly SeenRequest[] {
  return service.seen.filter((request) => writeOf(request) === write);
}

const OTHERS: readonly Write[] = [
  {
    tool: 'email_send',
    arguments: { to: ['ada@example.com'], subject: 'Hi', text: 'Hello' },
    effect: 'once',
    seen: () => Array<string>(mails).fill('mail'),
  },
  {
    tool: 'database',
    arguments: { sql: "insert into herons (name) values ('grey')" },
    effect: 'once',
    seen: async () => {
      const { rows } = await admin.query<{ times: number }>(
        'select case when is_called then last_value else 0 end::int as times from herons_id_seq',
      );
      return Array<string>(rows[0]?.times ?? 0).fill('insert');
    },
  },
  { tool: 'redis', arguments: { command: 'INCR', args: ['a'] }, effect: 'once', seen: () => commands('INCR') },
  { tool: 'redis', arguments: { command: 'SET', args: ['b', '1'] }, effect: 'keyed', seen: () => commands('SET') },
  {
    tool: 'image_generate',
    arguments: { prompt: 'a cat', output: 'cat.png' },
    effect: 'once',
    seen: () => media.seen.map(({ path }) => path),
  },
  { tool: 'mcp__Acting__once', arguments: {}, effect: 'once', seen: () => keysOfMcp('once') },
  { tool: 'mcp__Acting__keyed', arguments: {}, effect: 'keyed', seen: () => keysOfMcp('keyed') },
  { tool: 'mcp__Acting__read', arguments: {}, effect: 'read', seen: () => keysOfMcp('read') },
];

const WRITES = [...OVER_HTTP, ...OTHERS];

function commands(name: string): readonly string[] {
  return redis.seen.filter(([first]) => first === name).map((parts) => parts.join(' '));
}

function keysOfMcp(name: string): readonly unknown[] {
  return mcp.calls.flatMap((call) => (call.params?.['name'] === name ? [metaOf(call)['everturn/key']] : []));
}

function integrations(): readonly Fields[] {
  const { port: mailPort } = mail.server.address() as AddressInfo;
  const at = new URL(store.url);
  return [
    ...KNOWN_WRITES.map(({ kind, credentials, settings }) => ({
      kind,
      base_url: `${service.url}/${kind}`,
      credentials: isGoogle(kind) ? GOOGLE_CLIENT : credentials,
      settings,
    })),
    {
      kind: 'smtp',
      base_url: `smtp://127.0.0.1:${mailPort}`,
      credentials: {},
      settings: { from: 'agents@example.com', tls: 'off' },
    },
    {
      kind: 'postgres',
      base_url: `postgres://127.0.0.1:${at.port}${at.pathname}`,
      credentials: { user: ROLE, password: TOKEN },
      settings: { tls: 'off', allow_writes: 'yes' },
    },
    {
      kind: 'redis',
      base_url: `redis://127.0.0.1:${redis.port}`,
      credentials: { password: TOKEN },
      settings: { allow_writes: 'yes' },
    },
  ];
}

function isGoogle(kind: string): boolean {
  return kind === 'gmail' || kind.startsWith('google_');
}

async function addIntegrations({ user }: OpenChat): Promise<void> {
  for (const fields of integrations()) {
    const kind = String(fields['kind']);
    const { status, json: added } = await user.client.post<{ id: string }>('/api/integrations', {
      name: kind,
      ...fields,
    });
    expect([status, added]).toMatchObject([201, { kind }]);
    if (!isGoogle(kind)) continue;
    const grant = sealGrant(
      new SecretBox([TEST_SECRET_KEY]),
      { orgId: user.orgId, id: added.id },
      { accessToken: TOKEN },
    );
    await instance.api.database.system.query('update integrations set granted = $2 where id = $1', [added.id, grant]);
  }
}

/** Adds an MCP server, whose tools the agent gets beside those that it has. */
async function addMcpServer({ user: { client } }: OpenChat, agentId: string): Promise<void> {
  const { json: added } = await client.post<{ id: string }>('/api/mcp-servers', { name: 'Acting', url: mcp.url });
  expect((await client.post(`/api/mcp-servers/${added.id}/tools/fetch`)).status).toBe(200);
  const { json: agent } = await client.get<{ tools: string[] }>(`/api/agents/${agentId}`);
  const fields = { tools: [...agent.tools, 'mcp'], mcps: [{ id: added.id }] };
  expect((await client.patch(`/api/agents/${agentId}`, fields)).status).toBe(200);
}

/** Waits until each write was seen as often as it says, and says which were not. */
async function waitForWrites(times: (write: Write) => number): Promise<void> {
  const missing = async () => {
    const seen = await Promise.all(WRITES.map(async (write) => (await write.seen()).length));
    return WRITES.filter((write, at) => (seen[at] ?? 0) < times(write));
  };
  await waitUntil('the writes', async () => (await missing()).length === 0 || undefined).catch(async () => {
    expect((await missing()).map(({ tool, arguments: args }) => `${tool} ${JSON.stringify(args)}`)).toEqual([]);
  });
}

test('writes whose worker is killed while they run are made again under the same key, or are unknown', async () => {
  const tools = [...new Set(WRITES.map(({ tool }) => tool))].filter((tool) => !tool.startsWith('mcp__'));
  const first = await OpenChat.create(instance, {
    agent: { tools, requires_approval: Object.fromEntries(tools.map((tool) => [tool, 'never'])) },
  });
  await addIntegrations(first);
  const { json: shown } = await first.user.client.get<{ agent_id: string }>(`/api/chats/${first.id}`);
  await addMcpServer(first, shown.agent_id);
  await createProvider(first.user.client, media.url, { provider_type: 'openai', name: 'Studio', model_name: null });
  const turns = [];
  for (let at = 0; at < WRITES.length; at += CALLS_OF_TURN) {
    // Of several people: one may have 40 calls at work.
    const { client, accessToken } = await registerColleague(instance.api, first.user, 'admin');
    const chatId = await createChat(client, shown.agent_id);
    const writes = WRITES.slice(at, at + CALLS_OF_TURN);
    const socket = await SocketClient.connect(instance.api.url, chatId, accessToken);
    const calls = writes.map(({ tool, arguments: args }) => `[[tool ${tool} ${JSON.stringify(args)}]]`).join(' ');
    socket.send({ type: 'message', content: `${calls} [[then]] [[say heard]]`, client_message_id: 'a' });
    turns.push({ chatId, socket, writes });
  }
  await waitForWrites(() => 1);
  await instance.killWorkers();
  isBlocking = false;
  await instance.addWorker();
  await waitForWrites(({ effect, times = 2 }) => (effect === 'once' ? 1 : times));

  for (const { chatId, socket, writes } of turns) {
    const end = await socket.waitForEnd();
    const { tool_calls_detail: details } = end['metadata'] as { tool_calls_detail: readonly Fields[] };
    expect(details.map(({ name, status }) => [name, status])).toEqual(
      writes.map(({ tool, effect }) => [tool, effect === 'once' ? 'unknown' : 'success']),
    );
    for (const { status, result } of details)
      expect(String(result).includes(MAY_HAVE_TAKEN_EFFECT)).toBe(status === 'unknown');
    const { rows } = await instance.api.database.system.query<Fields>(
      'select k.name, k.effect, k.tries from tool_calls k join turns t on t.id = k.turn_id where t.chat_id = $1 order by k.position',
      [chatId],
    );
    expect(rows).toEqual(writes.map(({ tool: name, effect }) => ({ name, effect, tries: 2 })));
    expect(JSON.stringify(socket.frames)).not.toContain(TOKEN);
  }
  for (const { tool, arguments: args, effect, seen, times = 2 } of WRITES) {
    const keys = await seen();
    expect([tool, args, keys.length, new Set(keys).size]).toEqual([tool, args, effect === 'once' ? 1 : times, 1]);
  }
  expect(keysOfMcp('keyed')).toEqual([expect.any(String), expect.any(String)]);
  for (const name of ['once', 'read']) expect(new Set(keysOfMcp(name))).toEqual(new Set([undefined]));
  await admin.query(`select pg_advisory_unlock(${LOCK})`);
  expect((await admin.query('select name from herons')).rows).toEqual([]);
  expect(JSON.stringify(instance.model.requests)).not.toContain(TOKEN);
  for (const { socket } of turns) socket.close();
});
