import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { REST } from '@discordjs/rest';
import { json, OutsideServer } from '../../../../test/support/outside-server.ts';
import { answerAsDiscord, MESSAGE } from '../../../../test/support/services/discord.ts';
import { requestsOf } from '../../../../test/support/services/requests-of.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { discord } from './discord.ts';

const TOKEN = 'MTA.a-token-of-the-tests';
const WEBHOOK = '/api/webhooks/77/a-token-of-a-webhook-of-the-tests';
let server: OutsideServer;
let client: REST;
let tools: TestTools;
beforeAll(async () => {
  server = await OutsideServer.start();
  const common = { kind: 'discord', apiUrl: `${server.url}/api/v10`, fields: [], secretPlaces: [] } as const;
  const webhook = { webhook_url: `${server.url}${WEBHOOK}` };
  tools = await createTestTools({
    privateHosts: `127.0.0.1:${server.port}`,
    integrations: [
      { ...common, name: 'Bot', secrets: { bot_token: TOKEN, ...webhook } },
      { ...common, name: 'Webhook', secrets: webhook },
    ],
  });
  client = new REST({ version: '10', api: `${server.url}/api`, retries: 0 }).setToken(TOKEN);
});
afterAll(async () => {
  await tools.close();
  server.close();
  client.clearHashSweeper();
  client.clearHandlerSweeper();
});
beforeEach(() => {
  server.seen.length = 0;
  server.reply = answerAsDiscord();
});

const use = async (args: ToolArguments) => prepareCall(discord, { integration: 'Bot', ...args }).run(tools.context);
const [channel_id, message_id] = ['20', MESSAGE.id];
const allowed_mentions = { parse: ['users'] };

describe('a request is the one that the usual client makes', () => {
  const calls: readonly [ToolArguments, () => Promise<unknown>][] = [
    [{ action: 'list_guilds' }, async () => client.get('/users/@me/guilds')],
    [{ action: 'list_channels', guild_id: '10' }, async () => client.get('/guilds/10/channels')],
    [
      { action: 'history', channel_id, limit: 2, before: '1200' },
      async () => client.get('/channels/20/messages', { query: new URLSearchParams({ limit: '2', before: '1200' }) }),
    ],
    [
      { action: 'create_thread', channel_id, name: 'Plan' },
      async () => client.post('/channels/20/threads', { body: { name: 'Plan', type: 11 } }),
    ],
    [
      { action: 'create_thread', channel_id, message_id, name: 'Plan' },
      async () => client.post('/channels/20/messages/1100/threads', { body: { name: 'Plan' } }),
    ],
    [
      { action: 'react', channel_id, message_id, emoji: '👀' },
      async () => client.put(`/channels/20/messages/1100/reactions/${encodeURIComponent('👀')}/@me`),
    ],
  ];
  test.each(calls.map(([args, official]) => ({ args, official })))('of $args', async ({ args, official }) => {
    const theirs = await requestsOf(server, official);
    const agent = server.seen[0]?.headers['user-agent'];
    expect(await requestsOf(server, async () => use(args))).toEqual(theirs);
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([`Bot ${TOKEN}`]);
    const form = /^DiscordBot \([^)]+, [^)]+\)/;
    expect([agent, server.seen[0]?.headers['user-agent']]).toEqual([
      expect.stringMatching(form),
      expect.stringMatching(form),
    ]);
  });
});

describe('discord', () => {
  test('posts with the key of the call, so that a repetition posts nothing', async () => {
    const args = { action: 'post', channel_id, content: 'Hi @everyone', message_id };
    expect(discord.prepare(args)).toMatchObject({ effect: 'keyed', approval: 'writes' });
    expect((await use(args)).value).toEqual({ id: '1100', channel_id: '20' });
    await use(args);
    const [first, second] = server.seen.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    expect(first).toEqual({
      content: 'Hi @everyone',
      allowed_mentions,
      message_reference: { message_id: '1100' },
      nonce: expect.stringMatching(/^[\w-]{24}$/) as unknown,
      enforce_nonce: true,
    });
    expect(second).toEqual(first);
  });

  test('shows what is needed of messages, and where older ones begin', async () => {
    const shown = (id: string) => ({
      id,
      timestamp: MESSAGE.timestamp,
      author: { username: 'ada' },
      content: 'Hello',
      embeds: [],
    });
    expect((await use({ action: 'history', channel_id, limit: 2 })).value).toEqual({
      messages: [shown('1100'), shown('1099')],
      next: '1099',
    });
    expect((await use({ action: 'history', channel_id })).value).toMatchObject({ next: undefined });
  });

  test.each(['Bot', 'Webhook'])(
    'posts by the webhook of the integration %s, without the token of a bot',
    async (name) => {
      const args = { action: 'webhook', content: 'Hi', integration: name };
      expect(discord.prepare(args)).toMatchObject({ effect: 'once' });
      expect((await use(args)).value).toEqual({ id: '1100', channel_id: '20' });
      expect(server.seen).toMatchObject([
        { method: 'POST', url: `${WEBHOOK}?wait=true`, body: JSON.stringify({ content: 'Hi', allowed_mentions }) },
      ]);
      expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
    },
  );

  test('needs a bot for everything else', async () => {
    const history = use({ action: 'history', channel_id, integration: 'Webhook' });
    await expect(history).rejects.toMatchObject({ kind: 'denied' });
    await expect(history).rejects.toThrow(/lacks credentials/);
  });

  test("repeats Discord's words without the secrets of token and webhook", async () => {
    server.reply = json({ message: `Unknown ${TOKEN} ${WEBHOOK}`, code: 10003 }, 404);
    const failure = use({ action: 'webhook', content: 'Hi' });
    await expect(failure).rejects.toMatchObject({ kind: 'not_found', isForeign: true });
    await expect(failure).rejects.toThrow(/: Unknown \*\*\* \/api\/webhooks\/77\/\*\*\*$/);
  });

  test('waits as long as Discord asks', async () => {
    server.reply = (response) =>
      void response.writeHead(429, { 'retry-after': '40' }).end('{"message":"slow down","retry_after":39.2}');
    await expect(use({ action: 'webhook', content: 'Hi' })).rejects.toMatchObject({
      kind: 'rate_limited',
      waitMs: 41_000,
    });
  });

  test.each([{ channel_id: '20/../../users/@me' }, { message_id: '1\r\nX: y' }, { emoji: '..' }])(
    'refuses %j',
    async (args) => {
      const react = use({ action: 'react', channel_id, message_id, emoji: '👀', ...args });
      await expect(react).rejects.toMatchObject({ kind: 'invalid_input' });
      expect(server.seen).toEqual([]);
    },
  );
});
