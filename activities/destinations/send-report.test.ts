import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import { SecretBox } from '../../db/core/secret-box.ts';
import { integrationSecrets } from '../../db/integrations/integrations.ts';
import type { DestinationConfig } from '../../domain/destinations.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { registerUser, type TestUser } from '../../test/support/factories.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { json, OutsideServer } from '../../test/support/outside-server.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../../test/support/test-api.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../core/network/guarded-http.ts';
import { NO_FILES, type Report } from './report.ts';
import { sendReport, type ServiceKind } from './send-report.ts';

const BODY = `# Sales

They **rose** by <b onclick="steal()">5 %</b> & more. <script>alert(1)</script>![x](https://spy.example.com/p.png)

| Month | Sum |
| --- | --- |
| May | 7 |

[Details](https://example.com/a?b="c"|d) <!channel>`;
const FILE = { name: 'sales.csv', content: Buffer.from('month,sum\nMay,7\n') };
const LINK = { url: 'https://everturn.example.com/api/report-files/abc', expiresAt: new Date('2026-12-07T13:10:00Z') };
const LARGE = { path: 'out/a_b[1].csv', bytes: 12 * 1024 ** 2, link: LINK };
const EMPTY = { path: 'empty', bytes: 0, link: null };

const served = serveTestApi({ privateHosts: '127.0.0.1:*' });
let outside: OutsideServer;
let smtp: MailServer;
let guarded: ReturnType<typeof createGuardedFetch>;
let user: TestUser;

beforeAll(async () => {
  [outside, smtp] = await Promise.all([OutsideServer.start(), MailServer.start()]);
  guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${outside.port},127.0.0.1:${smtp.port}`));
  user = await registerUser(served.url);
});
afterAll(async () => {
  outside.close();
  await smtp.close();
  await guarded.close();
});
beforeEach(() => {
  outside.seen.length = 0;
  outside.reply = json({ ok: true });
  smtp.mails.length = 0;
});

let made = 0;
async function addIntegration(kind: string, fields: Record<string, unknown>): Promise<string> {
  made += 1;
  const { status, json: added } = await user.client.post<{ id: string }>('/api/integrations', {
    kind,
    name: `${kind} ${made}`,
    ...fields,
  });
  expect(status).toBe(201);
  return added.id;
}

/** Adds an integration with a webhook that leads to the server outside. */
async function ofWebhook(kind: string): Promise<string> {
  const id = await addIntegration(kind, { credentials: { webhook_url: 'https://hooks.example.com/hook' } });
  const credentials = JSON.stringify({ webhook_url: `${outside.url}/hook` });
  const box = new SecretBox([TEST_SECRET_KEY]);
  await served.api.database.system.query('update integrations set credentials = $2 where id = $1', [
    id,
    integrationSecrets.seal(box, { orgId: user.orgId, id }, credentials),
  ]);
  return id;
}

const ofSmtp = async () =>
  addIntegration('smtp', {
    base_url: `smtp://127.0.0.1:${smtp.port}`,
    settings: { from: 'Agents <agents@example.org>', tls: 'off' },
  });

interface Sending {
  readonly kind: ServiceKind;
  readonly integrationId: string | null;
  readonly config: DestinationConfig;
}

async function send({ kind, integrationId, config }: Sending, more: Partial<Report> = {}, orgId = user.orgId) {
  const deps = {
    database: served.api.database,
    box: new SecretBox([TEST_SECRET_KEY]),
    http: createGuardedHttp(guarded.fetch),
    sockets: guarded,
  };
  const link = 'https://everturn.example.com/runs';
  const report = { key: 'delivery-1', subject: 'Sales: completed', body: BODY, link, ...NO_FILES, ...more };
  return sendReport(deps, { orgId, kind, config, integrationId }, report, new AbortController().signal);
}

const TAKEN = { isTaken: true, error: null };
const bodies = () => outside.seen.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

describe('a report by mail', () => {
  test('has sanitized HTML, a text part, its files, and the same id each time', async () => {
    const mail = { kind: 'email', integrationId: await ofSmtp() } as const;
    const config = { to: ['Ada <ada@example.com>', 'bob@example.com'], cc: ['eve@example.com'] };
    expect(await send({ ...mail, config }, { files: [FILE] })).toMatchObject(TAKEN);
    await send({ ...mail, config });
    expect(smtp.mails[0]?.to).toEqual(['ada@example.com', 'bob@example.com', 'eve@example.com']);
    const [first, second] = await Promise.all(smtp.mails.map(async (each) => PostalMime.parse(each.mail)));
    expect(first?.messageId).toBe(second?.messageId);
    expect(first?.subject).toBe('Sales: completed');
    expect(first?.headers).toContainEqual(expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }));
    expect(first?.html).toMatch(/<body><h1>Sales<\/h1>\n<p>They <strong>rose<\/strong>[^]*<td>May<\/td>/);
    expect(first?.html).not.toMatch(/onclick|<script|<img|spy\.example/);
    expect(first?.html).toContain('href="https://everturn.example.com/runs"');
    expect(first?.text).toMatch(
      /^Sales\n\nThey rose by 5 % & more\.[^]*\n\nOpen in Everturn: https:\/\/everturn\.exam/,
    );
    expect(first?.attachments).toMatchObject([{ filename: 'sales.csv' }]);
  });

  test('is Markdown as a whole, though it begins with a tag', async () => {
    const mail = { kind: 'email' as const, integrationId: await ofSmtp(), config: { to: ['ada@example.com'] } };
    await send(mail, { body: '<b>Draft</b> of May\n\n# Sales\n\n- North\n- South' });
    const { html, text } = await PostalMime.parse(smtp.mails[0]?.mail ?? '');
    expect(html).toMatch(/<p><b>Draft<\/b> of May<\/p>\n<h1>Sales<\/h1>\n<ul>\n<li>North<\/li>/);
    expect(text).toContain('* North\n * South');
  });

  test('has the addresses of links in its text part, too', async () => {
    const mail = { kind: 'email' as const, integrationId: await ofSmtp(), config: { to: ['ada@example.com'] } };
    const body =
      'See [the offer](https://example.com/a?b=1&c=2), <https://example.com/d>, [Ada](mailto:ada@example.com) and [this](javascript:alert(1)).';
    await send(mail, { body });
    const { text } = await PostalMime.parse(smtp.mails[0]?.mail ?? '');
    expect(text).toMatch(
      /^See the offer <https:\/\/example\.com\/a\?b=1&c=2>, https:\/\/example\.com\/d, Ada <ada@example\.com> and this\./,
    );
  });

  test('shows the pictures that it has with it, and no others', async () => {
    const config = { to: ['ada@example.com'] };
    const mail = { kind: 'email', integrationId: await ofSmtp(), config } as const;
    const body =
      '![Sales](out/chart.png) ![](https://spy.example.com/p.png) ![](other.png) ![](cid:0.delivery-1@everturn)';
    const picture = { name: 'chart.png', addresses: ['out/chart.png'], content: Buffer.from('a picture') };
    expect(await send(mail, { body, pictures: [picture], files: [FILE] })).toMatchObject(TAKEN);
    const { html, attachments } = await PostalMime.parse(smtp.mails[0]?.mail ?? '');
    expect(html?.match(/<img[^>]*>/g)).toEqual(['<img src="cid:0.delivery-1@everturn" alt="Sales" />']);
    expect(attachments).toMatchObject([
      { filename: 'chart.png', contentId: '<0.delivery-1@everturn>', disposition: 'inline', mimeType: 'image/png' },
      { filename: 'sales.csv', disposition: 'attachment' },
    ]);
  });

  test('links the files that it does not have with it in both of its parts', async () => {
    const config = { to: ['ada@example.com'] };
    const mail = { kind: 'email', integrationId: await ofSmtp(), config } as const;
    await send(mail, { unattached: [LARGE, EMPTY] });
    const { html, text } = await PostalMime.parse(smtp.mails[0]?.mail ?? '');
    expect(html).toContain(
      `<a href="${LINK.url}">out/a_b(1).csv</a> (12 MB), until 2026-12-07 13:10 UTC<br>• empty (0 bytes)`,
    );
    expect(text).toContain(`• out/a_b(1).csv: ${LINK.url} (12 MB), until 2026-12-07 13:10 UTC\n• empty (0 bytes)`);
  });

  test('has one subject and no further header, whatever the subject contains', async () => {
    const config = { to: ['ada@example.com'] };
    const mail = { kind: 'email', integrationId: await ofSmtp(), config } as const;
    await send(mail, { subject: 'Sales\r\nBcc: spy@example.com\r\n\r\nHello' });
    const parsed = await PostalMime.parse(smtp.mails[0]?.mail ?? '');
    expect(smtp.mails[0]?.to).toEqual(['ada@example.com']);
    expect([parsed.bcc ?? [], parsed.headers.some(({ key }) => key === 'bcc')]).toEqual([[], false]);
  });

  test('says for whom it was not taken, and fails when it was for nobody', async () => {
    const mail = { kind: 'email', integrationId: await ofSmtp() } as const;
    const some = await send({ ...mail, config: { to: ['ada@example.com', 'nobody@example.com'] } });
    expect(some).toMatchObject({ isTaken: true, error: expect.stringContaining('nobody@example.com') });
    const none = await send({ ...mail, config: { to: ['nobody@example.com'] } });
    expect(none).toMatchObject({ isTaken: false, verdict: 'rejected', error: expect.stringContaining('no such user') });
  });

  test('is not sent to a server inside', async () => {
    const settings = { from: 'agents@example.org', tls: 'off' };
    const integrationId = await addIntegration('smtp', { base_url: 'smtp://localtest.example.com:25', settings });
    await served.api.database.system.query("update integrations set base_url = 'smtp://127.0.0.1:1' where id = $1", [
      integrationId,
    ]);
    const sent = await send({ kind: 'email', integrationId, config: { to: ['ada@example.com'] } });
    expect(sent).toMatchObject({ isTaken: false, verdict: 'refused' });
  });
});

describe('a report to Slack', () => {
  const ofSlack = async () =>
    addIntegration('slack', { base_url: outside.url, credentials: { token: 'xoxb-a-token' } });
  const config = { channel: 'C024BE91L' };

  test('is marked up as Slack does, and mentions nobody', async () => {
    expect(await send({ kind: 'slack', integrationId: await ofSlack(), config })).toMatchObject(TAKEN);
    const message = String(bodies()[0]?.['text']);
    expect(bodies()[0]).toMatchObject({ channel: 'C024BE91L', unfurl_links: false });
    expect(message).toContain('*Sales: completed*\n\n*Sales*');
    expect(message).toContain('*rose*');
    expect(message).toContain('```\nMonth  Sum\nMay    7\n```');
    expect(message).toContain('<https://everturn.example.com/runs|Open in Everturn>');
    expect(message).not.toContain('<!channel>');
  });

  test.each([
    ['channel_not_found', 'gone'],
    ['is_archived', 'gone'],
    ['token_revoked', 'refused'],
    ['msg_too_long', 'rejected'],
    ['internal_error', undefined],
  ])('that is answered with %s is judged as %s', async (error, verdict) => {
    outside.reply = json({ ok: false, error });
    const sent = await send({ kind: 'slack', integrationId: await ofSlack(), config });
    expect(sent).toMatchObject({ isTaken: false, error: expect.stringContaining(error) });
    expect(sent.verdict).toBe(verdict);
  });

  test('is shared with its files in one message', async () => {
    outside.reply = (response, request) => {
      const isUpload = request.url.startsWith('/api/files.getUploadURLExternal');
      json({ ok: true, ...(isUpload && { upload_url: `${outside.url}/upload`, file_id: 'F1' }) })(response, request);
    };
    const sent = await send({ kind: 'slack', integrationId: await ofSlack(), config }, { files: [FILE] });
    expect(sent).toMatchObject(TAKEN);
    expect(outside.seen.map(({ url }) => url.split('?')[0])).toEqual([
      '/api/files.getUploadURLExternal',
      '/upload',
      '/api/files.completeUploadExternal',
    ]);
    expect(outside.seen[1]?.body).toBe(FILE.content.toString());
  });
});

test('a report to Telegram is HTML that ends all it begins, cut to what fits', async () => {
  const integrationId = await addIntegration('telegram', { base_url: outside.url, credentials: { token: '12:abc' } });
  const telegram = { kind: 'telegram', integrationId, config: { chat: '-100123' } } as const;
  expect(await send(telegram, { body: `${BODY}\n\n${'x '.repeat(9_000)}` })).toMatchObject(TAKEN);
  const message = String(bodies()[0]?.['text']);
  expect(message.length).toBeLessThan(4_500);
  expect(message).toContain('<b>rose</b>');
  expect(message).not.toContain('<script');
  expect(message.match(/<b>/g)).toHaveLength(message.match(/<\/b>/g)?.length ?? 0);
  outside.reply = (response) =>
    void response.writeHead(400).end('{"ok":false,"description":"Bad Request: chat not found"}');
  expect(await send(telegram)).toMatchObject({ isTaken: false, verdict: 'gone' });
});

test('a report to Discord mentions nobody and has its files with it', async () => {
  const integrationId = await ofWebhook('discord');
  const discord = { kind: 'discord', integrationId, config: {} } as const;
  expect(await send(discord, { body: '@everyone '.repeat(900) })).toMatchObject(TAKEN);
  expect(bodies()[0]).toMatchObject({ allowed_mentions: { parse: [] } });
  expect(String(bodies()[0]?.['content']).length).toBeLessThanOrEqual(2_000);
  await send(discord, { files: [FILE] });
  await send(discord, { body: 'x'.repeat(3_000), unattached: Array.from({ length: 20 }, () => LARGE) });
  const { content: linked } = JSON.parse(outside.seen[2]?.body ?? '') as { content: string };
  expect(linked.length).toBeLessThanOrEqual(2_000);
  expect(linked).toMatch(/• \[out\/a\\_b\(1\)\.csv\]\(https:[^]*\n• \d+ more\n\n\[Open in Everturn\]/);
  expect(outside.seen[1]?.body).toContain('name="files[0]"; filename="sales.csv"');
  outside.reply = (response) => void response.writeHead(404).end('{"message":"Unknown Webhook"}');
  expect(await send(discord)).toMatchObject({ isTaken: false, verdict: 'gone' });
});

test('a report to Teams is a card with a button, and with links of its files', async () => {
  const integrationId = await ofWebhook('ms_teams');
  expect(await send({ kind: 'teams', integrationId, config: {} }, { unattached: [LARGE] })).toMatchObject(TAKEN);
  const card = JSON.stringify(bodies()[0]);
  expect(card).toContain('**rose**');
  expect(card).toContain(`• [out/a_b(1).csv](${LINK.url}) (12 MB), until 2026-12-07 13:10 UTC`);
  expect(card).toContain('"type":"Action.OpenUrl"');
});

test('nothing is sent with an integration that is gone, or of another organization', async () => {
  const slack = { kind: 'slack', config: { channel: 'C024BE91L' } } as const;
  const gone = { isTaken: false, verdict: 'gone', error: expect.stringContaining('deleted') };
  expect(await send({ ...slack, integrationId: null })).toMatchObject(gone);
  const others = await addIntegration('slack', { base_url: outside.url, credentials: { token: 'xoxb-a-token' } });
  const stranger = await registerUser(served.url);
  expect(await send({ ...slack, integrationId: others }, {}, stranger.orgId)).toMatchObject(gone);
  expect(outside.seen).toEqual([]);
});
