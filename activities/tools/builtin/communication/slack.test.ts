import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { WebClient } from '@slack/web-api';
import { json, OutsideServer, type SeenRequest } from '../../../../test/support/outside-server.ts';
import { answerAsSlack, MESSAGE } from '../../../../test/support/services/slack.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { slack } from './slack.ts';

const TOKEN = 'xoxb-a-token-of-the-tests';
const [channel, ts] = ['C1', MESSAGE.ts];
let server: OutsideServer;
let client: WebClient;
let tools: TestTools;
beforeAll(async () => {
  server = await OutsideServer.start();
  const integration = {
    kind: 'slack',
    name: 'Slack',
    apiUrl: `${server.url}/api`,
    fields: ['token'],
    secretPlaces: [],
    secrets: { token: TOKEN },
  } as const;
  tools = await createTestTools({ privateHosts: `127.0.0.1:${server.port}`, integrations: [integration] });
  client = new WebClient(TOKEN, { slackApiUrl: `${server.url}/api/`, retryConfig: { retries: 0 } });
  await tools.context.workspace.write(['a.txt'], Buffer.from('Hello'), {
    overwrite: true,
    createFolders: true,
    isForeign: false,
  });
});
afterAll(async () => {
  await tools.close();
  server.close();
});
beforeEach(() => {
  server.seen.length = 0;
  server.reply = answerAsSlack(server);
});

const use = async (args: ToolArguments) => prepareCall(slack, args).run(tools.context);

/** The methods that were called and their arguments, in whatever way each client says them. */
function called() {
  return server.seen.map(({ url, headers, body }) => {
    const { pathname, searchParams } = new URL(url, server.url);
    return { path: pathname, args: { ...asTexts(searchParams), ...argumentsIn(headers, body) } };
  });
}

function argumentsIn({ 'content-type': type = '' }: SeenRequest['headers'], body: string) {
  if (body === '') return {};
  if (!type.includes('json')) return type.includes('urlencoded') ? asTexts(new URLSearchParams(body)) : { body };
  const members = Object.entries(JSON.parse(body) as Record<string, unknown>);
  return Object.fromEntries(
    members.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function asTexts(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries(parameters);
}

describe('a call has the arguments that the official client gives', () => {
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '*Hi*' } }];
  const calls: readonly [ToolArguments, () => Promise<unknown>][] = [
    [
      { action: 'post', channel, text: 'Hi', blocks, thread_ts: ts },
      async () => client.chat.postMessage({ channel, text: 'Hi', blocks, thread_ts: ts }),
    ],
    [{ action: 'update', channel, ts, text: 'Hi' }, async () => client.chat.update({ channel, ts, text: 'Hi' })],
    [{ action: 'delete', channel, ts }, async () => client.chat.delete({ channel, ts })],
    [{ action: 'history', channel }, async () => client.conversations.history({ channel, limit: 50 })],
    [
      { action: 'thread', channel, thread_ts: ts, limit: 5, cursor: 'bmV4dA==' },
      async () => client.conversations.replies({ channel, ts, limit: 5, cursor: 'bmV4dA==' }),
    ],
    [{ action: 'list_channels' }, async () => client.conversations.list({ exclude_archived: true, limit: 50 })],
    [{ action: 'list_users' }, async () => client.users.list({ limit: 50 })],
    [
      { action: 'react', channel, ts, emoji: ':eyes:' },
      async () => client.reactions.add({ channel, timestamp: ts, name: 'eyes' }),
    ],
  ];
  test.each(calls.map(([args, official]) => ({ args, official })))('of $args', async ({ args, official }) => {
    await official();
    const theirs = called();
    server.seen.length = 0;
    await use(args);
    expect(called()).toEqual(theirs);
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`]);
  });
});

describe('slack', () => {
  test('shows what is needed of messages, channels and users, page by page', async () => {
    const { team, ...message } = MESSAGE;
    expect(team).toBe('T1');
    expect(await use({ action: 'history', channel })).toEqual({
      value: { messages: [message], next: 'bmV4dA==' },
      isForeign: true,
    });
    expect((await use({ action: 'list_channels', cursor: 'bmV4dA==' })).value).toEqual({
      channels: [{ id: 'C1', name: 'general', is_member: true }],
      next: undefined,
    });
    expect((await use({ action: 'list_users' })).value).toMatchObject({ users: [{ id: 'U1', real_name: 'Ada' }] });
  });

  test.each([
    ['post', 'once'],
    ['upload', 'once'],
    ['delete', 'once'],
    ['update', 'keyed'],
    ['react', 'keyed'],
    ['history', 'read'],
  ])('%s is %s', (action, effect) => {
    expect(slack.prepare({ action })).toMatchObject({ effect, approval: 'writes' });
  });

  test('shares a file by the official steps, with the token for the API only', async () => {
    await client.filesUploadV2({ channel_id: channel, filename: 'a.txt', file: Buffer.from('Hello'), title: 'a.txt' });
    const theirs = called();
    server.seen.length = 0;
    const { value } = await use({ action: 'upload', channel, file: 'a.txt' });
    expect(value).toEqual({ files: [{ id: 'F1', title: 'a.txt' }] });
    expect(called().map(({ path }) => path)).toEqual(theirs.map(({ path }) => path));
    expect(called()[0]).toEqual(theirs[0]);
    expect(called()[2]).toEqual(theirs[2]);
    const [begin, bytes, end] = server.seen;
    expect([begin, bytes, end].map((request) => request?.headers.authorization)).toEqual([
      `Bearer ${TOKEN}`,
      undefined,
      `Bearer ${TOKEN}`,
    ]);
    expect(bytes?.body).toBe('Hello');
  });

  test.each([
    'http://files.slack.com.evil.example/x',
    'http://evil.example/x',
    'https://127.0.0.1/x',
    'not an address',
  ])('sends no file to %s, which is no server of Slack', async (address) => {
    server.reply = json({ ok: true, upload_url: address, file_id: 'F1' });
    const upload = use({ action: 'upload', channel, file: 'a.txt' });
    await expect(upload).rejects.toMatchObject({ kind: 'upstream', message: expect.stringMatching(/not on a server/) });
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    [{ error: 'channel_not_found' }, 'not_found', 'Slack answers: channel_not_found'],
    [{ error: 'missing_scope', needed: 'chat:write' }, 'denied', /the token needs the scope chat:write$/],
    [{ error: 'invalid_auth' }, 'denied', /invalid_auth/],
    [{ error: 'ratelimited' }, 'rate_limited', /ratelimited/],
    [
      { error: 'invalid_blocks', response_metadata: { messages: ['[ERROR] no more than 50 items'] } },
      'invalid_input',
      /invalid_blocks; \[ERROR\] no more than 50 items/,
    ],
  ])('says that Slack refuses with %j', async (answer, kind, words) => {
    server.reply = json({ ok: false, ...answer });
    const failure = use({ action: 'post', channel, text: 'Hi' });
    await expect(failure).rejects.toMatchObject({ kind, isForeign: true, isUncertain: false });
    await expect(failure).rejects.toThrow(words);
  });

  test('does not know whether a message was posted when Slack fails in the middle', async () => {
    server.reply = json({ ok: false, error: 'internal_error' });
    await expect(use({ action: 'post', channel, text: 'Hi' })).rejects.toMatchObject({ isUncertain: true });
  });

  test.each([json({ posted: true }), (response: Parameters<OutsideServer['reply']>[0]) => void response.end('<html>')])(
    'does not know it either when the answer is not that of Slack (%#)',
    async (reply) => {
      server.reply = reply;
      const post = use({ action: 'post', channel, text: 'Hi' });
      await expect(post).rejects.toMatchObject({ kind: 'upstream', isUncertain: true });
      const history = use({ action: 'history', channel });
      await expect(history).rejects.toMatchObject({ kind: 'upstream', isUncertain: false });
    },
  );

  test('waits as long as Slack asks', async () => {
    server.reply = (response) => void response.writeHead(429, { 'retry-after': '30' }).end('{"ok":false}');
    await expect(use({ action: 'post', channel, text: 'Hi' })).rejects.toMatchObject({
      kind: 'rate_limited',
      waitMs: 31_000,
    });
  });

  test('takes a reaction that is there already for a success', async () => {
    server.reply = json({ ok: false, error: 'already_reacted' });
    expect((await use({ action: 'react', channel, ts, emoji: 'eyes' })).value).toEqual({ reacted: true });
  });

  test.each([{ channel: 'C1&token=x' }, { channel: 'C1\r\nX: y' }, { ts: '1&x=2' }, { emoji: '../x' }])(
    'refuses %j',
    async (args) => {
      await expect(use({ action: 'react', channel, ts, emoji: 'eyes', ...args })).rejects.toMatchObject({
        kind: 'invalid_input',
      });
    },
  );
});
