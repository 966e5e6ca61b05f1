import { gmail as officialClient } from '@googleapis/gmail';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { GoogleMail } from '../../../../test/support/services/google-mail.ts';
import { Refused } from '../../../../test/support/services/google-routes.ts';
import { GOOGLE_TOKEN, type GoogleTool, startGoogleTool } from '../../../../test/support/services/google-tools.ts';
import type { ToolArguments } from '../../tool.ts';
import { parseMessage, readMessage } from './gmail-message.ts';
import { gmail } from './gmail.ts';

const mail = new GoogleMail();
let google: GoogleTool;
beforeAll(async () => {
  google = await startGoogleTool('gmail', mail.routes);
});
afterAll(async () => google.close());
beforeEach(() => {
  google.server.seen.length = 0;
  google.server.refusal = undefined;
  mail.mails.clear();
  mail.drafts.clear();
});

const use = async (args: ToolArguments) => google.use(args);
const receive = (head: string, body = 'Hello') => {
  const id = `m${mail.mails.size + 1}`;
  mail.mails.set(id, { raw: `${head}\r\n\r\n${body}`, threadId: 'thread-9', labelIds: ['INBOX', 'UNREAD'] });
  return id;
};

describe('gmail', () => {
  test('sends a mail that the official client reads, with the same Message-ID for the same call', async () => {
    const args = { action: 'send', to: ['ada@example.com'], subject: 'Grüße', body: 'Füße\n.\nEnde' };
    expect(gmail.prepare(args)).toMatchObject({ effect: 'once', approval: 'writes' });
    expect(await use(args)).toEqual({ id: 'm1', threadId: 'thread-1', labelIds: ['SENT'] });
    expect(google.server.seen[0]?.headers.authorization).toBe(`Bearer ${GOOGLE_TOKEN}`);
    const { users } = officialClient({ version: 'v1', ...google.server.clientOptions });
    const { data } = await users.messages.get({ userId: 'me', id: 'm1' });
    const headers = new Map(data.payload?.headers?.map(({ name, value }) => [name, value]));
    expect(headers.get('To')).toBe('ada@example.com');
    expect(headers.get('Subject')).toMatch(/^=\?UTF-8\?/i);
    expect(headers.get('Message-ID')).toMatch(/^<[0-9a-f]{32}@everturn>$/);
    await use(args);
    expect(mail.mails.get('m2')?.raw).toContain(headers.get('Message-ID'));
    expect(await use({ action: 'get', id: 'm1' })).toMatchObject({ to: 'ada@example.com', text: expect.any(String) });
  });

  test('reads what the official client has sent, a page after the other', async () => {
    const { users } = officialClient({ version: 'v1', ...google.server.clientOptions });
    const raw = Buffer.from('From: bob@example.com\r\nSubject: Hi\r\n\r\nText').toString('base64url');
    for (let sent = 0; sent < 11; sent += 1) await users.messages.send({ userId: 'me', requestBody: { raw } });
    const page = await use({ action: 'search', query: 'bob' });
    expect(page).toMatchObject({ messages: { length: 10 }, next: '10' });
    expect((page as { messages: unknown[] }).messages[0]).toMatchObject({
      id: 'm1',
      from: 'bob@example.com',
      subject: 'Hi',
    });
    expect(await use({ action: 'search', query: 'bob', cursor: '10' })).toMatchObject({ messages: [{ id: 'm11' }] });
    expect(await use({ action: 'get', id: 'm1' })).toMatchObject({ from: 'bob@example.com', text: 'Text', files: [] });
  });

  test('says of a mail that does not say its encoding that this is uncertain', async () => {
    const body = Buffer.from('Viele Grüße', 'latin1').toString('base64url');
    const payload = { mimeType: 'text/plain', body: { data: body, size: 11 } };
    const message = parseMessage({ json: () => ({ id: 'm1', payload }), effect: 'read' });
    const notice = expect.stringContaining('windows-1252');
    expect(await readMessage(message, async () => '')).toMatchObject({ text: 'Viele Grüße', notice });
  });

  test('answers a mail in its thread, to who has written it, in one line whatever they wrote', async () => {
    const id = receive('From: "Bob" <bob@example.com>\r\nSubject: Offer\r\nMessage-ID: <1@example.com>');
    await use({ action: 'draft', reply_to: id, body: 'Yes' });
    const [draft] = mail.drafts.values();
    expect(draft).toMatchObject({ threadId: 'thread-9' });
    expect(draft?.raw).toMatch(/^To: bob@example\.com\r$/m);
    expect(draft?.raw).toMatch(/^Subject: Re: Offer\r$/m);
    expect(draft?.raw).toMatch(/^In-Reply-To: <1@example\.com>\r$/m);
    expect(await use({ action: 'send', draft_id: 'r1' })).toMatchObject({ threadId: 'thread-9' });
    await expect(use({ action: 'send', draft_id: 'r1' })).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('labels by name, in whatever letters, and trashes', async () => {
    const id = receive('Subject: x');
    const args = { action: 'label', id, labels: ['to do'], remove_labels: ['unread'] };
    expect(gmail.prepare(args)).toMatchObject({ effect: 'keyed', approval: 'never' });
    expect(await use(args)).toMatchObject({ labelIds: ['INBOX', 'Label_7'] });
    await expect(use({ ...args, labels: ['Done'] })).rejects.toThrow('there is INBOX, UNREAD, To do');
    expect(await use({ action: 'trash', id })).toMatchObject({ labelIds: ['Label_7', 'TRASH'] });
  });

  test.each<ToolArguments>([
    { action: 'send', to: ['a@example.com\r\nBcc: b@example.com'], body: 'x' },
    { action: 'send', to: ['a@example.com, b@example.com'], body: 'x' },
    { action: 'send', to: ['a@example.com'], subject: 'x\nBcc: b@example.com', body: 'x' },
    { action: 'get', id: '../drafts' },
    { action: 'get' },
    { action: 'send', body: 'x' },
    { action: 'label', id: 'm1', labels: ['a\r\nb'] },
  ])('sends nothing for %j', async (args) => {
    await expect(use(args)).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(google.server.seen).toEqual([]);
  });

  test.each([
    [401, undefined, 'denied', /rejected/],
    [403, 'userRateLimitExceeded', 'rate_limited', /User-rate limit exceeded/],
    [403, 'rateLimitExceeded', 'rate_limited', /User-rate limit exceeded/],
    [403, 'forbidden', 'denied', /User-rate limit exceeded/],
    [403, undefined, 'denied', /User-rate limit exceeded/],
    [429, undefined, 'rate_limited', /User-rate limit exceeded/],
    [400, 'userRateLimitExceeded', 'invalid_input', /User-rate limit exceeded/],
  ])('says what a status of %i with the reason %s means', async (status, reason, kind, words) => {
    google.server.refusal = new Refused(status, 'User-rate limit exceeded', reason);
    const failure = use({ action: 'send', to: ['ada@example.com'], body: 'x' });
    await expect(failure).rejects.toMatchObject({ kind });
    await expect(failure).rejects.toThrow(words);
    expect(google.server.seen).toHaveLength(1);
  });
});
