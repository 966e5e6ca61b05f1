import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Api } from 'grammy';
import { OutsideServer } from '../../../../test/support/outside-server.ts';
import { requestsOf } from '../../../../test/support/services/requests-of.ts';
import { answerAsTelegram, BOT_TOKEN, MESSAGE, refusedByTelegram } from '../../../../test/support/services/telegram.ts';
import { createTestTools, prepareCall, type TestTools } from '../../../../test/support/tool-context.ts';
import type { ToolArguments } from '../../tool.ts';
import { telegram } from './telegram.ts';

let server: OutsideServer;
let client: Api;
let tools: TestTools;
beforeAll(async () => {
  server = await OutsideServer.start();
  const bot = {
    kind: 'telegram',
    name: 'Bot',
    apiUrl: server.url,
    fields: ['token'],
    secretPlaces: [],
    secrets: { token: BOT_TOKEN },
  } as const;
  tools = await createTestTools({ privateHosts: `127.0.0.1:${server.port}`, integrations: [bot] });
  client = new Api(BOT_TOKEN, { apiRoot: server.url });
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
  server.reply = answerAsTelegram();
});

const use = async (args: ToolArguments) => prepareCall(telegram, args).run(tools.context);
const chat_id = '42';

describe('a request is the one that the usual client makes', () => {
  const kinds = ['message', 'edited_message', 'channel_post'] as const;
  const calls: readonly [ToolArguments, () => Promise<unknown>][] = [
    [
      { action: 'send', chat_id, text: '<b>Hi</b>', parse_mode: 'HTML', message_id: 6 },
      async () => client.sendMessage(chat_id, '<b>Hi</b>', { parse_mode: 'HTML', reply_parameters: { message_id: 6 } }),
    ],
    [{ action: 'edit', chat_id, message_id: 7, text: 'Hi' }, async () => client.editMessageText(chat_id, 7, 'Hi')],
    [{ action: 'delete', chat_id, message_id: 7 }, async () => client.deleteMessage(chat_id, 7)],
    [
      { action: 'get_updates', offset: 899 },
      async () => client.getUpdates({ offset: 899, limit: 50, timeout: 0, allowed_updates: kinds }),
    ],
  ];
  test.each(calls.map(([args, official]) => ({ args, official })))('of $args', async ({ args, official }) => {
    const theirs = await requestsOf(server, official);
    expect(await requestsOf(server, async () => use(args))).toEqual(theirs);
    expect(theirs[0]?.path).toMatch(`/bot${BOT_TOKEN}/`);
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('telegram', () => {
  test('shows what is needed of messages, and where the next ones begin', async () => {
    const { value } = await use({ action: 'get_updates' });
    expect(value).toEqual({
      updates: [
        {
          update_id: 900,
          message: {
            message_id: 7,
            date: MESSAGE.date,
            text: 'Hello',
            from: { id: 42, username: 'ada', first_name: 'Ada', is_bot: false },
            chat: { id: 42, type: 'private' },
          },
        },
      ],
      next: 901,
    });
  });

  test.each([
    ['send', 'once', 'writes'],
    ['send_file', 'once', 'writes'],
    ['delete', 'once', 'writes'],
    ['edit', 'keyed', 'writes'],
    ['get_updates', 'keyed', 'never'],
  ])('%s is %s', (action, effect, approval) => {
    expect(telegram.prepare({ action })).toMatchObject({ effect, approval });
  });

  test('sends a file of the workspace', async () => {
    const { value } = await use({ action: 'send_file', chat_id, file: 'a.txt', text: 'A file' });
    expect(value).toEqual({ message_id: 7, date: MESSAGE.date, chat: { id: 42 } });
    const [request] = server.seen;
    const form = await new Response(request?.body, {
      headers: { 'content-type': request?.headers['content-type'] ?? '' },
    }).formData();
    const file = form.get('document');
    expect([form.get('chat_id'), form.get('caption'), [...form.keys()]]).toEqual([
      '42',
      'A file',
      ['chat_id', 'caption', 'document'],
    ]);
    if (!(file instanceof File)) throw new Error('the document is no file');
    expect([file.name, await file.text()]).toEqual(['a.txt', 'Hello']);
  });

  test('takes a message that says that already for edited', async () => {
    server.reply = refusedByTelegram(400, 'Bad Request: message is not modified: specified new message content');
    expect((await use({ action: 'edit', chat_id, message_id: 7, text: 'Hi' })).value).toEqual({
      message_id: 7,
      edited: true,
    });
  });

  test.each([
    [400, 'Bad Request: chat not found', 'invalid_input'],
    [401, 'Unauthorized', 'denied'],
    [403, 'Forbidden: bot was blocked by the user', 'denied'],
    [409, 'Conflict: terminated by other getUpdates request', 'invalid_input'],
  ])('says that Telegram refuses with %i %s, without the token', async (status, description, kind) => {
    server.reply = refusedByTelegram(status, `${description} /bot${BOT_TOKEN}/x`);
    const failure = use({ action: 'send', chat_id, text: 'Hi' });
    await expect(failure).rejects.toMatchObject({ kind, isForeign: true });
    await expect(failure).rejects.toThrow(`${description} /bot***/x`);
  });

  test('waits as long as Telegram asks in its answer', async () => {
    server.reply = refusedByTelegram(429, 'Too Many Requests: retry after 35', { parameters: { retry_after: 35 } });
    await expect(use({ action: 'send', chat_id, text: 'Hi' })).rejects.toMatchObject({
      kind: 'rate_limited',
      waitMs: 36_000,
    });
  });

  test('does not name the address, which has the token in it, when nothing answers there', async () => {
    const gone = await OutsideServer.start();
    const port = gone.port;
    gone.close();
    const integration = {
      kind: 'telegram',
      name: 'Gone',
      apiUrl: `http://127.0.0.1:${port}`,
      fields: ['token'],
      secretPlaces: [],
      secrets: { token: BOT_TOKEN },
    } as const;
    const others = await createTestTools({ privateHosts: `127.0.0.1:${port}`, integrations: [integration] });
    const failure = prepareCall(telegram, { action: 'send', chat_id, text: 'Hi' }).run(others.context);
    await expect(failure).rejects.toThrow(/^(?!.*AAbot).*connection refused/);
    await others.close();
  });

  test.each([{ chat_id: '42/../x' }, { chat_id: '@a\r\nX: y' }, { text: 'x'.repeat(4_097) }])(
    'refuses %j',
    async (args) => {
      await expect(use({ action: 'send', chat_id, text: 'Hi', ...args })).rejects.toMatchObject({
        kind: 'invalid_input',
      });
      expect(server.seen).toEqual([]);
    },
  );
});
