import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { OutsideServer, type SeenRequest } from '../support/outside-server.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

/** A write of a tool, and what the service answers to it. */
interface Write {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly effect: 'keyed' | 'once';
  /** The path of the request, below the address of the integration. */
  readonly path: string;
  readonly answer: unknown;
  /** What says to the service that two requests are the same, for those that have a key. */
  readonly keyOf?: (request: SeenRequest) => unknown;
}

const TOKEN = 'a-token-of-the-tests';
const INTEGRATIONS = [
  { kind: 'github', credentials: { token: TOKEN } },
  { kind: 'linear', credentials: { api_key: TOKEN } },
  { kind: 'sentry', credentials: { token: TOKEN }, settings: { organization: 'acme' } },
  { kind: 'stripe', credentials: { api_key: TOKEN } },
];

const idIn = ({ body }: SeenRequest) =>
  (JSON.parse(body) as { variables: { input: { id: string } } }).variables.input.id;

const WRITES: readonly Write[] = [
  {
    tool: 'github_issue',
    arguments: { action: 'create', repo: 'acme/web', title: 'It breaks' },
    effect: 'once',
    path: '/github/repos/acme/web/issues',
    answer: { number: 7, title: 'It breaks' },
  },
  {
    tool: 'linear',
    arguments: { action: 'comment', id: 'WEB-7', comment: 'Seen' },
    effect: 'keyed',
    path: '/linear/graphql',
    answer: { data: { commentCreate: { success: true, comment: { id: 'c', url: 'https://linear.app/c' } } } },
    keyOf: idIn,
  },
  {
    tool: 'sentry',
    arguments: { action: 'resolve', issue_id: '4509' },
    effect: 'keyed',
    path: '/sentry/api/0/issues/4509/',
    answer: { id: '4509', status: 'resolved' },
  },
  {
    tool: 'stripe',
    arguments: { action: 'refund', id: 'ch_1' },
    effect: 'keyed',
    path: '/stripe/v1/refunds',
    answer: { id: 're_1', object: 'refund' },
    keyOf: ({ headers }) => headers['idempotency-key'],
  },
];

let service: OutsideServer;
let instance: TestInstance;
const held: (() => void)[] = [];
let isHolding = true;
beforeAll(async () => {
  service = await OutsideServer.start();
  service.reply = (response, { url }) => {
    const answer = () => answerTo(url, response);
    if (isHolding) held.push(answer);
    else answer();
  };
  instance = await startTestInstance({ openPorts: [service.port] });
}, 120_000);
afterAll(async () => {
  await instance.close();
  service.close();
});

function answerTo(url: string, response: ServerResponse): void {
  const write = WRITES.find(({ path }) => url.startsWith(path));
  response.writeHead(write === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(write?.answer ?? {}));
}

const requestsOf = ({ path }: Write) => service.seen.filter(({ url }) => url.startsWith(path));

test('writes of services whose worker is killed while they run are made again under the same key, or are unknown', async () => {
  const tools = WRITES.map(({ tool }) => tool);
  const chat = await OpenChat.create(instance, {
    agent: { tools, requires_approval: Object.fromEntries(tools.map((tool) => [tool, 'never'])) },
  });
  for (const { kind, ...rest } of INTEGRATIONS) {
    const integration = { kind, name: kind, base_url: `${service.url}/${kind}`, ...rest };
    const { status, json } = await chat.user.client.post('/api/integrations', integration);
    expect([status, json]).toMatchObject([201, { kind }]);
  }
  const socket = await chat.connect();
  const calls = WRITES.map(({ tool, arguments: args }) => `[[tool ${tool} ${JSON.stringify(args)}]]`).join(' ');
  socket.send({ type: 'message', content: `${calls} [[then]] [[say heard]]`, client_message_id: 'a' });

  const arrived = async (times: (write: Write) => number) => {
    const missing = () => WRITES.filter((write) => requestsOf(write).length < times(write));
    await waitUntil('the writes', () => missing().length === 0 || undefined, 60_000).catch(() => {
      expect(missing().map(({ tool }) => tool)).toEqual([]);
    });
  };
  await arrived(() => 1);
  await instance.workers[0]?.kill();
  isHolding = false;
  await instance.addWorker();
  await arrived(({ effect }) => (effect === 'keyed' ? 2 : 1));

  const end = await socket.waitForEnd(1, 60_000);
  const { tool_calls_detail: details } = end['metadata'] as { tool_calls_detail: readonly Record<string, unknown>[] };
  const told = details.map(({ name, status }) => [name, status]);
  expect(told).toEqual(WRITES.map(({ tool, effect }) => [tool, effect === 'keyed' ? 'success' : 'unknown']));
  for (const write of WRITES) {
    const keys = new Set(requestsOf(write).map((request) => write.keyOf?.(request) ?? 'none'));
    expect([write.tool, requestsOf(write).length, keys.size]).toEqual([
      write.tool,
      write.effect === 'keyed' ? 2 : 1,
      1,
    ]);
  }
  expect(JSON.stringify([socket.frames, instance.model.requests])).not.toContain(TOKEN);
  for (const answer of held.splice(0)) answer();
  chat.close();
}, 180_000);
