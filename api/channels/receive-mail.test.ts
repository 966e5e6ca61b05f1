import { beforeEach, describe, expect, test } from '@jest/globals';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { deliverMail, type InboundMail, MAILBOX, mailOf } from '../../test/support/inbound-mail.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { UNKNOWN_ID } from '../../test/support/unknown-id.ts';

// No worker handles what is received.
const served = serveTestApi({ orgLimits: 'channel_bytes=50KB' });
const SECRET = 'what the mail service signs with';
const FROM = 'Ada <Ada@a.example>';

type Fields = Record<string, unknown>;

let user: TestUser;
let fields: Fields;
let channelId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  const integration = {
    kind: 'smtp',
    name: 'Mail',
    base_url: 'smtps://mail.example.com',
    settings: { from: 'Agents <agents@example.com>' },
    credentials: { user: 'agents', password: 'a-password' },
  };
  const added = await user.client.post<{ id: string }>('/api/integrations', integration);
  expect(added.status).toBe(201);
  fields = {
    name: 'Mail',
    kind: 'email',
    agent_id: await createAgent(user.client),
    integration_id: added.json.id,
    secret: SECRET,
    matches_email: true,
    people: { 'ada@a.example': user.id },
    mail: MAILBOX,
  };
  const channel = await user.client.post<{ id: string }>('/api/channels', fields);
  expect(channel.status).toBe(201);
  channelId = channel.json.id;
});

const deliver = async (mail: Partial<InboundMail> = {}) =>
  deliverMail(served.url, channelId, mailOf({ from: FROM, ...mail }), { secret: SECRET });

interface StoredMail {
  readonly sender: string;
  readonly message: { readonly thread: string; readonly text: string };
  readonly mail: { readonly subject: string; readonly messageId: string | null; readonly replyTo: string };
  readonly received: Buffer;
  readonly isStop: boolean;
}

const stored = async () => {
  const text =
    'select sender, message, mail, received, is_stop as "isStop" from channel_events where channel_id = $1 order by id';
  return (await served.api.database.system.query<StoredMail>(text, [channelId])).rows;
};

describe('a mailbox', () => {
  test('is what a channel of its kind needs, and no other has', async () => {
    const post = async (more: Fields) =>
      (await user.client.post<Fields>('/api/channels', { ...fields, ...more })).status;
    const path = `/api/channels/${channelId}`;
    expect((await user.client.get<Fields>(path)).json).toMatchObject({ kind: 'email', mail: MAILBOX });
    expect(await post({ name: 'Other', mail: null })).toBe(422);
    expect(await post({ name: 'Other', kind: 'slack' })).toBe(422);
    expect(await post({ name: 'Other', mail: { ...MAILBOX, address: 'Agents <agents@example.com>' } })).toBe(422);
    expect(await post({ name: 'Other', mail: { ...MAILBOX, address: `${'a'.repeat(32)}@example.com` } })).toBe(422);
    expect((await user.client.patch(path, { mail: null })).status).toBe(422);
    const mail = { ...MAILBOX, auth_service: 'mx2.example.com' };
    expect((await user.client.patch<Fields>(path, { mail })).json).toMatchObject({ mail });
  });

  test('recognises people by their addresses', async () => {
    const people = { 'ada+work@a.example': user.id };
    expect((await user.client.patch<Fields>(`/api/channels/${channelId}`, { people })).json).toMatchObject({ people });
  });
});

describe('a mail', () => {
  test('is stored whole before it is answered, once for its id', async () => {
    const mail = mailOf({ from: FROM, messageId: '<one@a.example>', subject: '=?utf-8?q?Sal=C3=A9s=0D=0ABcc:_x?=' });
    for (const status of ['accepted', 'repeated'])
      expect(await deliverMail(served.url, channelId, mail, { secret: SECRET })).toEqual({
        status: 200,
        json: { status },
      });
    const [event, ...more] = await stored();
    expect(more).toEqual([]);
    expect(event?.received.toString()).toBe(mail);
    expect(event).toMatchObject({
      sender: 'ada@a.example',
      message: { channel: 'ada@a.example', sender: 'ada@a.example', text: 'Salés Bcc: x' },
      mail: { subject: 'Salés Bcc: x', messageId: '<one@a.example>' },
    });
  });

  test('that has no id that can be referred to counts once as well', async () => {
    const mail = mailOf({ from: FROM, messageId: 'one two' });
    for (const status of ['accepted', 'repeated'])
      expect((await deliverMail(served.url, channelId, mail, { secret: SECRET })).json).toEqual({ status });
    expect((await stored())[0]?.mail.messageId).toBeNull();
  });

  test('to the address that its answer names continues the thread, and to one that somebody has made up does not', async () => {
    await deliver();
    const [first] = await stored();
    const replyTo = first?.mail.replyTo ?? '';
    expect(replyTo).toMatch(/^agents\+[0-9a-f]{32}@example\.com$/);
    await deliver({ to: `Agents <${replyTo.toUpperCase()}>`, subject: 'Re: A question' });
    await deliver({ to: replyTo.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@')) });
    const [, reply, other] = await stored();
    expect(reply?.message).toMatchObject({ thread: first?.message.thread, text: '' });
    expect(reply?.mail.replyTo).toBe(replyTo);
    expect(other?.message.thread).not.toBe(first?.message.thread);
    expect(other?.message.text).toBe('A question');
  });

  test('that says stop is handled before others when a member has sent it and its first bytes say so', async () => {
    await deliver();
    const to = (await stored())[0]?.mail.replyTo ?? '';
    const quote = '> How are sales?\r\n'.repeat(200);
    await deliver({ to, text: `Stop\r\n\r\n${quote}` });
    await deliver({ to, from: 'eve@b.example', text: 'Stop' });
    await deliver({ to, type: 'multipart/mixed; boundary=b', text: `${quote}\r\n--b\r\n\r\nStop\r\n--b--` });
    expect((await stored()).map(({ isStop }) => isStop)).toEqual([false, true, false, false]);
  });

  test('continues its thread once the secret was changed, from which nobody could guess it by the address of answers', async () => {
    await deliver();
    const [first] = await stored();
    const secret = 'what it signs with from now on';
    const { integration_id: integrationId } = fields;
    const changes = { secret, integration_id: integrationId };
    expect((await user.client.patch(`/api/channels/${channelId}`, changes)).status).toBe(200);
    await deliverMail(served.url, channelId, mailOf({ from: FROM, to: first?.mail.replyTo ?? '' }), { secret });
    expect((await stored())[1]?.message.thread).toBe(first?.message.thread);
  });

  test.each<[string, Partial<InboundMail>]>([
    ['automatic', { headers: ['Auto-Submitted: auto-replied'] }],
    ['automatic', { from: 'Agents <agents@example.com>' }],
    ['unauthenticated', { results: 'mx.example.com; dmarc=fail header.from=a.example' }],
    ['unauthenticated', { results: 'mx.evil.example; dmarc=pass header.from=a.example' }],
    ['recipients', { to: Array.from({ length: 101 }, (_, index) => `p${index}@a.example`).join(',\r\n ') }],
    ['faulty', { to: Array.from({ length: 10_000 }, (_, index) => `p${index}@a.example`).join(',\r\n ') }],
    ['faulty', { headers: [`References: ${'<one@a.example> '.repeat(5_000)}`] }],
    ['faulty', { from: `${FROM}, Eve <eve@a.example>` }],
    ['faulty', { headers: ['From: eve@a.example'] }],
    [
      'faulty',
      { from: '<ada@a.example> <eve@a.example>', results: 'mx.example.com; dmarc=pass header.from=a.example' },
    ],
    ['faulty', { headers: ['X-Note: one\nFrom: eve@a.example'] }],
  ])('is ignored and not stored when it is %s (%j)', async (reason, mail) => {
    expect(await deliver(mail)).toEqual({ status: 200, json: { status: 'ignored', reason } });
    expect(await stored()).toEqual([]);
  });

  test('is ignored beyond thirty of its sender within an hour, as programs write that answer each other', async () => {
    await served.api.database.system.query(
      `insert into channel_events (id, org_id, channel_id, event_id, sender, status, received_at)
        select gen_random_uuid(), org_id, id, 'E' || n, 'ada@a.example', 'accepted', now() - n * interval '3 minutes'
        from channels, generate_series(1, 29) n where id = $1`,
      [channelId],
    );
    expect((await deliver()).json).toEqual({ status: 'accepted' });
    await served.api.database.system.query(
      "update channel_events set received_at = now() - interval '1 minute' where channel_id = $1",
      [channelId],
    );
    expect((await deliver()).json).toEqual({ status: 'ignored', reason: 'automatic' });
    expect((await deliver({ from: 'Bob <bob@a.example>' })).json).toEqual({ status: 'accepted' });
  });

  test('waits at its service while much waits in other channels of the owner', async () => {
    const { json: other } = await user.client.post<{ id: string }>('/api/orgs', { name: 'Another' });
    await served.api.database.system.query(
      `with added as (
          insert into channels (id, org_id, name, kind, connection, secret, matches_email, people, is_active)
          values (gen_random_uuid(), $1, 'Other', 'email', gen_random_uuid(), '', false, '{}', true) returning id
        )
        insert into channel_events (id, org_id, channel_id, event_id, sender, message)
        select gen_random_uuid(), $1, id, 'E' || n, 'x', '{}' from added, generate_series(1, 200) n`,
      [other.id],
    );
    expect((await deliver()).status).toBe(429);
    await served.api.database.system.query("update channel_events set status = 'ignored' where org_id = $1", [
      other.id,
    ]);
    expect((await deliver()).json).toEqual({ status: 'accepted' });
  });

  test('is ignored while the channel is off', async () => {
    await user.client.patch(`/api/channels/${channelId}`, { is_active: false });
    expect(await deliver()).toEqual({ status: 200, json: { status: 'ignored' } });
  });

  test('is stored without what it says while its sender is a stranger', async () => {
    await deliver({ from: 'Eve <eve@a.example>', text: 'long '.repeat(50_000) });
    expect(await stored()).toMatchObject([{ sender: 'eve@a.example', received: Buffer.alloc(0) }]);
  });

  test('is refused when it is larger than ten megabytes, and left to be delivered again while a hundred wait', async () => {
    const { status, json } = await deliver({ text: 'long '.repeat(2_200_000) });
    expect([status, json]).toEqual([413, { detail: 'The body must not exceed 10 MB' }]);
    expect((await deliver({ text: 'long '.repeat(1_900_000) })).json).toEqual({ status: 'accepted' });
    await served.api.database.system.query('delete from channel_events where channel_id = $1', [channelId]);
    await served.api.database.system.query(
      `insert into channel_events (id, org_id, channel_id, event_id, sender, message)
        select gen_random_uuid(), org_id, id, 'E' || n, 'x', '{}' from channels, generate_series(1, 100) n where id = $1`,
      [channelId],
    );
    expect((await deliver()).status).toBe(429);
  });

  test('is not let in with a wrong signature, an old one, that of Slack or for an unknown channel', async () => {
    const mail = mailOf({ from: FROM });
    const now = Math.floor(Date.now() / 1_000);
    const answers = [
      await deliverMail(served.url, channelId, mail, { secret: 'another secret' }),
      await deliverMail(served.url, channelId, mail, { secret: SECRET, time: now - 400 }),
      await deliverMail(served.url, channelId, mail, { secret: SECRET, time: now + 400 }),
      await deliverMail(served.url, UNKNOWN_ID, mail, { secret: SECRET }),
    ];
    const detail = 'There is no such channel, or the signature does not match its secret';
    for (const { status, json } of answers) expect([status, json]).toEqual([404, { detail }]);
    expect(await stored()).toEqual([]);
  });

  test('is taken as it is, and not as JSON', async () => {
    const mail = mailOf({ from: FROM });
    expect((await deliverMail(served.url, channelId, mail, { secret: SECRET, type: 'application/json' })).status).toBe(
      415,
    );
  });
});
