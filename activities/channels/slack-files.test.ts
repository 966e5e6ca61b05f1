import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sendAsSlack, slackEvent } from '../../test/support/fake-slack.ts';
import { OutsideServer, type Reply } from '../../test/support/outside-server.ts';
import { ENDED, SECRET, serveSlackChannel } from '../../test/support/slack-channel.ts';

const served = serveSlackChannel();
const { chatsOf, query, receive, waitNoLonger, write } = served;
const CONTENT = 'Revenue has grown by 4 %.';
const MEGABYTE = 1024 ** 2;

type Fields = Record<string, unknown>;

let elsewhere: OutsideServer;
beforeAll(async () => {
  elsewhere = await OutsideServer.start();
});
afterAll(() => elsewhere.close());

const sending =
  (content: string | Buffer, type = 'text/plain', status = 200): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': type }).end(content);

/** Has Slack serve a file, and returns what its event says of it. */
function fileOf(name: string, reply: Reply = sending(CONTENT), more: Fields = {}): Fields {
  const path = `/files-pri/T1-${encodeURIComponent(name)}/download`;
  served.slack.files.set(path, reply);
  const url_private_download = `${served.slack.server.url}${path}`;
  return { id: 'F1', name, size: CONTENT.length, url_private_download, ...more };
}

const broken = sending('oops', 'text/plain', 500);
const DIRECT = { type: 'message', subtype: 'file_share', channel_type: 'im', channel: 'D1' };

async function deliver(event: Fields): Promise<void> {
  const { status } = await sendAsSlack(served.url, served.channelId, slackEvent(event), { secret: SECRET });
  expect(status).toBe(200);
}

/** Has somebody send files, and returns the message that they became, with the files of its chat. */
async function send(text: string, ...files: readonly Fields[]) {
  await write(text, { ...DIRECT, files });
  return sent();
}

async function sent() {
  const [chat] = await chatsOf();
  const path = `/api/chats/${chat?.id}`;
  const { client } = served.user;
  const { json: messages } = await client.get<{ content: string; file_ids: string[] }[]>(`${path}/messages`);
  const { json: files } = await client.get<{ id: string; name: string; path: string; size: number }[]>(`${path}/files`);
  return { title: chat?.title, path, messages, message: messages[0], files };
}

const untaken = (...lines: readonly string[]) =>
  ['Files that could not be taken, so that nobody has read them:', ...lines.map((line) => `- ${line}`)].join('\n');

describe('a file of a message', () => {
  test('is an upload of its sender that the message names, read with the token of the app', async () => {
    const { message, files, path } = await send('What is new?', fileOf('../a/report\r\n.txt'));
    expect(message).toMatchObject({ content: 'What is new?', file_ids: files.map(({ id }) => id) });
    expect(files).toMatchObject([{ path: 'uploads/report.txt', size: CONTENT.length, user_id: served.user.id }]);
    const content = await served.user.client.download(`${path}/files/${files[0]?.id}/content`);
    expect(content.bytes.toString()).toBe(CONTENT);
    const read = served.slack.server.seen.find(({ url }) => url.startsWith('/files-pri/'));
    expect(read?.headers.authorization).toBe('Bearer xoxb-of-the-tests');
  });

  test('is a message without words, too', async () => {
    const { title, message, files } = await send('', fileOf('a.txt'), fileOf('b.txt'));
    expect([title, message?.content, files.map(({ name }) => name)]).toEqual([
      'a.txt, b.txt',
      'a.txt, b.txt',
      ['a.txt', 'b.txt'],
    ]);
  });

  test('is added once, though one behind it fails, which is read again', async () => {
    const replies = [broken, sending(CONTENT)];
    const files = [fileOf('a.txt'), fileOf('b.txt', (...exchange) => replies.shift()?.(...exchange))];
    await deliver({ ...DIRECT, text: 'Compare.', files });
    expect((await receive()).waitMs).toBeGreaterThan(0);
    expect((await sent()).files).toHaveLength(1);
    await waitNoLonger();
    expect(await receive()).toEqual(ENDED);
    const { message, files: added } = await sent();
    expect(added.map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
    expect(message).toMatchObject({ content: 'Compare.', file_ids: added.map(({ id }) => id) });
  });

  test('is added to the chat that begins once the first one was deleted', async () => {
    const replies = [broken, sending(CONTENT)];
    const files = [fileOf('a.txt'), fileOf('b.txt', (...exchange) => replies.shift()?.(...exchange))];
    await deliver({ ...DIRECT, text: 'Compare.', files });
    expect((await receive()).waitMs).toBeGreaterThan(0);
    await served.user.client.delete((await sent()).path);
    await waitNoLonger();
    expect(await receive()).toEqual(ENDED);
    const { message, files: added } = await sent();
    expect([message?.file_ids.length, added.length]).toEqual([2, 2]);
  });
});

describe('a file that cannot be taken is named', () => {
  const OTHER_SERVER = 'Slack has named an address for it that is not on a server of its own';
  const NOT_GIVEN = 'Slack does not give it to the app, which needs the scope files:read';
  const LOGIN = '<!DOCTYPE html><html><body>Sign in</body></html>';

  test.each([
    ['on another server', () => `${elsewhere.url}/a.txt`],
    ['on one that begins alike', () => `http://127.0.0.1.evil.example:${served.slack.port}/a.txt`],
    ['with a user', () => `http://slack@127.0.0.1:${served.slack.port}/a.txt`],
    ['on none', () => 'file:///etc/passwd'],
  ])('while its address is %s, where the token does not go', async (_what, url) => {
    const { message, files } = await send('Read.', { name: 'a.txt', size: 1, url_private_download: url() });
    expect([message?.content, files]).toEqual([`Read.\n\n${untaken(`a.txt: ${OTHER_SERVER}`)}`, []]);
    expect(elsewhere.seen).toEqual([]);
  });

  test.each<[string, Reply]>([
    ['a page for signing in', sending(LOGIN, 'text/html; charset=utf-8')],
    ['such a page as a text', sending(LOGIN)],
    ['a redirect', (response) => void response.writeHead(302, { location: `${elsewhere.url}/login` }).end()],
    ['a refusal', sending('no', 'text/plain', 403)],
  ])('when Slack answers with %s', async (_what, reply) => {
    const { message, files } = await send('Read.', fileOf('a.txt', reply));
    expect([message?.content, files]).toEqual([`Read.\n\n${untaken(`a.txt: ${NOT_GIVEN}`)}`, []]);
    expect(elsewhere.seen).toEqual([]);
  });

  test('unless it is a page itself', async () => {
    const { files } = await send('Read.', fileOf('a.html', sending(LOGIN, 'text/html'), { size: LOGIN.length }));
    expect(files).toMatchObject([{ name: 'a.html', size: LOGIN.length }]);
  });

  test('with the reason, and so are those beyond twenty', async () => {
    const many = Array.from({ length: 25 }, (_, index) => fileOf(`${index}.txt`));
    const { message, files } = await send(
      'Read.',
      fileOf('large.zip', undefined, { size: 200 * MEGABYTE }),
      fileOf('lies.zip', sending(Buffer.alloc(25 * MEGABYTE + 1))),
      fileOf('empty.txt', sending('')),
      { name: '', size: 1 },
      ...many,
    );
    expect(files).toHaveLength(20);
    const beyond = [20, 21, 22, 23, 24].map((index) => `${index}.txt: a message may have 20 files`);
    expect(message?.content).toBe(
      `Read.\n\n${untaken(
        'large.zip: it is larger than 25 MB',
        'lies.zip: it is larger than 25 MB',
        'empty.txt: the file is empty',
        'a file without a name: Slack does not say where it is, as with files of other workspaces',
        ...beyond,
      )}`,
    );
    expect(served.slack.server.seen.filter(({ url }) => url.includes('large.zip'))).toEqual([]);
  });

  test('while the organization has no room for it', async () => {
    await query('insert into chat_file_usage (org_id, bytes) values ($1, $2)', [served.user.orgId, 1024 ** 3]);
    const { message, files } = await send('', fileOf('a.txt'));
    expect([message?.content, files]).toEqual([expect.stringMatching(/^a\.txt\n\nFiles .*\n- a\.txt: .*1 GB/), []]);
  });

  test('once Slack has failed three times', async () => {
    await deliver({ ...DIRECT, text: 'Read.', files: [fileOf('a.txt', broken)] });
    for (let tries = 0; tries < 2; tries += 1) {
      expect((await receive()).waitMs).toBeGreaterThan(0);
      await waitNoLonger();
    }
    expect(await receive()).toEqual(ENDED);
    expect((await sent()).message?.content).toContain('- a.txt: Slack answers with the status 500');
  });
});
