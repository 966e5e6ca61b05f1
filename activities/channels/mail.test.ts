import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { SecretBox } from '../../db/core/secret-box.ts';
import { notifyAsked } from '../../db/notifications/notify-asked.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { finishTurn } from '../../db/turns/steps/finish-turn.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { FileStores } from '../../files/file-stores.ts';
import { addChannel } from '../../test/support/add-channel.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { deliverMail, type InboundMail, MAILBOX, mailOf } from '../../test/support/inbound-mail.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { registerColleague, registerGrouped } from '../../test/support/people.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';
import { untilItWaits } from '../../test/support/until-it-waits.ts';
import { storeWaitingCall } from '../../test/support/waiting-call.ts';
import { webhookDeps } from '../../test/support/webhook-deps.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../core/network/guarded-http.ts';
import { workspaceOf } from '../tools/operations/tool-context.ts';
import { filePath } from '../tools/workspace/workspace-path.ts';
import { deliverWaiting } from '../webhooks.ts';
import { receiveWaiting } from './receive-messages.ts';
import { PLAIN_END } from '../../test/support/plain-end.ts';

const served = serveTestApi({ privateHosts: '127.0.0.1:*' });
const SECRET = 'what the mail service signs with';
const ENDED = { hasEnded: true, waitMs: 0 };

let server: MailServer;
let guarded: ReturnType<typeof createGuardedFetch>;
let user: TestUser;
let agentId: string;
let integrationId: string;
let channelId: string;

beforeAll(async () => {
  server = await MailServer.start();
  guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${server.port}`));
});
afterAll(async () => {
  await server.close();
  await guarded.close();
});
beforeEach(async () => {
  server.mails.length = 0;
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
  const integration = {
    kind: 'smtp',
    base_url: `smtp://127.0.0.1:${server.port}`,
    settings: { from: 'Agents <agents@example.com>', tls: 'off' },
    credentials: {},
  };
  const channel = { kind: 'email', agentId, secret: SECRET, integration, fields: { mail: MAILBOX } } as const;
  ({ channelId, integrationId } = await addChannel(user, channel));
});

const query = async <T extends object>(text: string, values: unknown[] = [channelId]) =>
  (await served.api.database.system.query<T>(text, values)).rows;
const events = async () =>
  query<{ status: string; message: unknown; received: unknown }>(
    'select status, message, received from channel_events where channel_id = $1 order by id',
  );
const statuses = async () => (await events()).map(({ status }) => status);
const chatsOf = async (by = user) => (await by.client.get<{ id: string; title: string }[]>('/api/chats')).json;
const questionsIn = async (chatId: string) =>
  (await user.client.get<{ role: string; content: string }[]>(`/api/chats/${chatId}/messages`)).json
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content);
const sent = async () =>
  Promise.all(
    server.mails.map(async ({ to, mail }) => ({
      to,
      mail: await PostalMime.parse(mail, { attachmentEncoding: 'utf8' }),
    })),
  );

/** Has somebody write a mail. */
async function send(mail: Partial<InboundMail> = {}): Promise<void> {
  const delivered = mailOf({ from: `Ada <${user.email}>`, ...mail });
  const { json } = await deliverMail(served.url, channelId, delivered, { secret: SECRET });
  expect(json).toEqual({ status: 'accepted' });
}

/** Has somebody write a mail, and what they wrote handled. */
async function write(mail: Partial<InboundMail> = {}): Promise<void> {
  await send(mail);
  expect(await receive()).toEqual(ENDED);
}

async function receive() {
  const deps = {
    database: served.api.database,
    box: new SecretBox([TEST_SECRET_KEY]),
    http: createGuardedHttp(guarded.fetch),
    sockets: guarded,
    files: await FileStores.open(served.api.database, undefined),
    orgLimits: parseOrgLimits(''),
    log: pino({ level: 'silent' }),
  };
  const ref = { orgId: user.orgId, channelId };
  return untilItWaits(async () => receiveWaiting(deps, ref, new AbortController().signal));
}

const part = (head: string, body: string) => ['--x', head, '', body].join('\r\n');
const attached = (name: string, content: string, type = 'application/octet-stream') =>
  part(
    [
      `Content-Type: ${type}`,
      `Content-Disposition: attachment${name === '' ? '' : `; filename*=utf-8''${encodeURIComponent(name)}`}`,
      'Content-Transfer-Encoding: base64',
    ].join('\r\n'),
    Buffer.from(content).toString('base64'),
  );

/** Has the user write a mail of parts. */
async function writeMixed(subject: string, ...parts: readonly string[]): Promise<void> {
  await write({ subject, text: [...parts, '--x--'].join('\r\n'), type: 'multipart/mixed; boundary=x' });
}

/** Returns the message that begins the only chat, and the files of the chat. */
async function questionWithFiles() {
  const [chat] = await chatsOf();
  const get = async <T>(what: string) => (await user.client.get<T>(`/api/chats/${chat?.id}/${what}`)).json;
  const [message] = await get<{ content: string; file_ids: string[] }[]>('messages');
  const files = await get<{ id: string; path: string; media_type: string }[]>('files');
  return { message: message ?? { content: '', file_ids: [] }, files };
}

/** Ends the turn of a chat with an answer, and has that delivered. */
async function answer(chatId: string, content: string) {
  const { orgId } = user;
  const turn = await claimTurn(served.api.database, { orgId, chatId });
  if (turn === undefined) throw new Error('no turn is open');
  await finishTurn(served.api.database, {
    orgId,
    chatId,
    turnId: turn.id,
    attempt: turn.attempt,
    step: turn.step,
    agentId,
    status: 'completed',
    content,
    metadata: { status: 'completed', usage: { input_tokens: 3, output_tokens: 2 } },
    ...PLAIN_END,
  });
  return deliver(chatId);
}

async function deliver(chatId: string) {
  const [target] = await query<{ id: string }>('select id from webhook_targets where thread_chat_id = $1', [chatId]);
  const deps = await webhookDeps(served.api.database, guarded);
  const ref = { orgId: user.orgId, targetId: target?.id ?? '' };
  return untilItWaits(async () => deliverWaiting(deps, ref, new AbortController().signal));
}

describe('a mail', () => {
  test('begins a chat of its sender, and the answer goes back in its thread', async () => {
    await write({ subject: 'Sales', text: 'How are they?\r\n\r\n> older', messageId: '<one@a.example>' });
    const [chat, ...more] = await chatsOf();
    expect([chat?.title, more]).toEqual(['Sales', []]);
    expect(await questionsIn(chat?.id ?? '')).toEqual(['Sales\n\nHow are they?']);
    expect(await events()).toEqual([{ status: 'accepted', message: null, received: null }]);
    expect(server.mails).toEqual([]);
    expect(await answer(chat?.id ?? '', 'They **rose**.\n\n![x](https://evil.example/leak)')).toEqual(ENDED);
    const [{ to, mail } = { to: [], mail: undefined }, ...others] = await sent();
    expect([to, others]).toEqual([[user.email], []]);
    expect(mail).toMatchObject({
      subject: 'Re: Sales',
      inReplyTo: '<one@a.example>',
      references: '<one@a.example>',
      from: { address: 'agents@example.com' },
      text: expect.stringContaining('They rose.'),
      html: expect.stringContaining('<strong>rose</strong>'),
    });
    expect(mail?.html).not.toContain('evil.example');
    expect(mail?.headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted', value: 'auto-replied' }));
  });

  test('that replies to an answer continues the chat, and another one begins another', async () => {
    await write({ subject: 'Sales' });
    const [chat] = await chatsOf();
    await answer(chat?.id ?? '', 'They rose.');
    const [{ mail } = { mail: undefined }] = await sent();
    const to = mail?.replyTo?.[0]?.address ?? '';
    await write({ to, subject: 'Re: Sales', text: 'And costs?\r\n\r\nOn Monday, Agents wrote:\r\n> They rose.' });
    expect((await questionsIn(chat?.id ?? '')).toSorted()).toEqual(['And costs?', 'Sales\n\nHow are sales?']);
    await write({ subject: 'Something else' });
    expect((await chatsOf()).map(({ title }) => title).toSorted()).toEqual(['Sales', 'Something else']);
  });

  test('of another member to the address of a thread is in a chat of their own', async () => {
    const colleague = await registerColleague(served.api, user, 'member');
    await write({ subject: 'Mine' });
    const [chat] = await chatsOf();
    await answer(chat?.id ?? '', 'A secret.');
    const [{ mail } = { mail: undefined }] = await sent();
    await write({ from: colleague.email, to: mail?.replyTo?.[0]?.address ?? '', text: 'What was it?' });
    expect((await chatsOf()).map(({ title }) => title)).toEqual(['Mine']);
    expect((await chatsOf(colleague)).map(({ title }) => title)).toEqual(['What was it?']);
  });

  test('that is not answered is remembered with the newest five thousand of its channel', async () => {
    await served.api.database.system.query(
      `insert into channel_events (id, org_id, channel_id, event_id, sender, status)
        select lpad(n::text, 32, '0')::uuid, org_id, id, 'E' || n, 'x', case when n = 1 then 'accepted' else 'refused' end
        from channels, generate_series(1, 5001) n where id = $1`,
      [channelId],
    );
    await write({ from: 'eve@evil.example' });
    const counts = await query<{ status: string; count: number; mails: number }>(
      `select status, count(*), count(mail) as mails from channel_events where channel_id = $1
        group by status order by status`,
    );
    expect(counts).toMatchObject([
      { status: 'accepted', count: 1 },
      { status: 'refused', count: 5_000, mails: 0 },
    ]);
    expect(await query("select from channel_events where channel_id = $1 and event_id = 'E2'")).toEqual([]);
  });

  test('that says stop stops the answer', async () => {
    await write({ messageId: '<one@a.example>' });
    const [chat] = await chatsOf();
    const [event] = await query<{ mail: { replyTo: string } }>('select mail from channel_events where channel_id = $1');
    await write({ to: event?.mail.replyTo ?? '', text: 'Stop.\r\n\r\n> How are sales?' });
    const [turn] = await query<{ at: Date | null }>(
      'select interrupt_requested_at as at from turns where chat_id = $1',
      [chat?.id],
    );
    expect(turn?.at).not.toBeNull();
    expect(await statuses()).toEqual(['accepted', 'stopped']);
  });

  test('that says stop is handled before those that wait, of which those of its thread do not begin', async () => {
    await write({ messageId: '<one@a.example>' });
    const [event] = await query<{ mail: { replyTo: string } }>('select mail from channel_events where channel_id = $1');
    const to = event?.mail.replyTo ?? '';
    await send({ to, text: 'And costs?' });
    await send({ subject: 'Something else' });
    await query(
      "update channel_events set next_attempt_at = now() + interval '1 hour' where channel_id = $1 and status = 'pending'",
    );
    await send({ to, text: 'Stop\r\n\r\nOn Monday, Agents wrote:\r\n> How are sales?' });
    expect((await receive()).waitMs).toBeGreaterThan(0);
    expect(await statuses()).toEqual(['accepted', 'stopped', 'pending', 'stopped']);
  });

  test('has its attachments as files of the message, by what they are and not by what it calls them', async () => {
    const inner = ['Subject: Inner', 'Content-Type: text/plain', '', 'Inside.'].join('\r\n');
    await writeMixed(
      'Files',
      part('Content-Type: text/html', '<p>See <b>this</b></p>'),
      attached('../../a"; x=".pdf', 'Revenue.', 'application/pdf'),
      attached('', '\u0089PNG\r\n\u001a\n', 'text/plain'),
      part('Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename=inner.eml', inner),
      attached('empty.txt', ''),
    );
    const { message, files } = await questionWithFiles();
    const untaken = 'Files that could not be taken, so that nobody has read them:\n- empty.txt: the file is empty';
    expect(message.content).toBe(`Files\n\nSee this\n\n${untaken}`);
    expect(files.map(({ path, media_type }) => [path, media_type])).toEqual([
      ['uploads/a_; x=_.pdf', 'text/plain'],
      ['uploads/attachment-2', 'application/octet-stream'],
      ['uploads/inner.eml', 'text/plain'],
    ]);
    expect(message.file_ids).toEqual(files.map(({ id }) => id));
  });

  test('of a thousand attachments has twenty of them, and names some of the others', async () => {
    await writeMixed('', ...Array.from({ length: 1_000 }, (_, index) => attached(`${index}.txt`, 'x')));
    const { message, files } = await questionWithFiles();
    expect([files.length, message.file_ids.length]).toEqual([20, 20]);
    expect(message.content).toContain('\n- 39.txt: a message may have 20 files\n- 960 more');
  });

  test('without any text is answered in words', async () => {
    await write({ subject: '', text: '' });
    expect((await sent()).map(({ mail }) => mail.text?.trim())).toEqual(['I can read no text in your message.']);
    expect(await chatsOf()).toEqual([]);
  });
});

describe('a sender', () => {
  test('who is no member gets one sentence a day, and nothing runs', async () => {
    const stranger = 'eve@evil.example';
    await write({ from: stranger });
    await write({ from: stranger });
    const mails = await sent();
    expect(mails.map(({ to, mail }) => [to, mail.subject, mail.text?.trim()])).toEqual([
      [[stranger], 'Re: A question', expect.stringContaining('members of my organization only')],
    ]);
    expect(await statuses()).toEqual(['refused', 'refused']);
  });

  test('is known by the people of the channel, too', async () => {
    await user.client.patch(`/api/channels/${channelId}`, { people: { 'ada@home.example': user.id } });
    await write({ from: 'Ada <ADA@home.example>' });
    expect(await chatsOf()).toHaveLength(1);
  });

  test('may use the agents of their account only', async () => {
    const { member, groupPath } = await registerGrouped(served.api, user, ['agents.view']);
    const other = await createAgent(user.client, { name: 'Other' });
    await user.client.patch(groupPath, { capabilities: { agent_ids: [other] } });
    await write({ from: member.email });
    expect((await sent()).map(({ mail }) => mail.text?.trim())).toEqual([
      'Your permission groups do not let you use the agent of this chat.',
    ]);
    expect(await statuses()).toEqual(['refused']);
  });
});

describe('an answer', () => {
  test('waits while the server takes no mail, and has the same id each time', async () => {
    await write();
    const [chat] = await chatsOf();
    server.refusals = 1;
    expect((await answer(chat?.id ?? '', 'They rose.')).waitMs).toBeGreaterThan(0);
    await query('update webhook_deliveries set next_attempt_at = now() where org_id = $1', [user.orgId]);
    expect(await deliver(chat?.id ?? '')).toEqual(ENDED);
    expect(server.mails).toHaveLength(1);
  });

  test('has the files of the workspace that it links to attached, and names those that are too large', async () => {
    await write();
    const [chat] = await chatsOf();
    const deps = await webhookDeps(served.api.database, guarded);
    const ref = { orgId: user.orgId, workspaceChatId: chat?.id ?? '' };
    const workspace = workspaceOf(deps, ref, new AbortController().signal);
    const options = { overwrite: false, createFolders: true, isForeign: false };
    for (const [path, content] of [
      ['out/sales.csv', Buffer.from('a,b')],
      ['large.bin', Buffer.alloc(11 * 1024 ** 2)],
    ] as const)
      await workspace.write(filePath(path), content, options);
    await answer(chat?.id ?? '', '[Sales](out/sales.csv), ![all](large.bin), [x](../secret)');
    const [{ mail } = { mail: undefined }] = await sent();
    const contents = mail?.attachments.map(({ filename, content }) => [filename, content]);
    expect(contents).toEqual([['sales.csv', 'a,b']]);
    expect(mail?.text).toContain('large.bin (11 MB), not attached');
  });

  test('is sent by other credentials of the same sender, and by no other one', async () => {
    await write({ subject: 'One' });
    await write({ subject: 'Two' });
    const chats = await chatsOf();
    const idOf = (name: string) => chats.find(({ title }) => title === name)?.id ?? '';
    const path = `/api/integrations/${integrationId}`;
    const change = async (from: string) =>
      expect((await user.client.patch(path, { settings: { from, tls: 'off' } })).status).toBe(200);
    await change('Eve <eve@example.com>');
    await answer(idOf('One'), 'One.');
    expect(server.mails).toEqual([]);
    await change('Agents <agents@example.com>');
    await answer(idOf('Two'), 'Two.');
    expect(server.mails).toHaveLength(1);
  });

  test('in a chat that was deleted in the meantime is not sent', async () => {
    await write();
    const [chat] = await chatsOf();
    server.refusals = 1;
    await answer(chat?.id ?? '', 'A secret.');
    await user.client.delete(`/api/chats/${chat?.id}`);
    await query('update webhook_deliveries set next_attempt_at = now() where org_id = $1', [user.orgId]);
    expect(await deliver(chat?.id ?? '')).toEqual(ENDED);
    expect(server.mails).toEqual([]);
  });
});

test('what waits for a decision is not posted to a mailbox, as it is in Slack', async () => {
  await user.client.patch('/api/users/me', { slack_notifications: true });
  const ref = { orgId: user.orgId, userId: user.id, chatId: await createChat(user.client, agentId) };
  const { turnId } = await storeWaitingCall(served.api.database, ref);
  await notifyAsked(served.api.database, { orgId: user.orgId, turnId });
  expect(await query('select from webhook_targets where channel_id = $1')).toEqual([]);
});
