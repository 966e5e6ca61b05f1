import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import PostalMime from 'postal-mime';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { uploadFile } from '../../test/support/factories.ts';
import { MailServer } from '../../test/support/mail-server.ts';
import { json } from '../../test/support/outside-server.ts';
import { serveReportedRuns } from '../../test/support/reported-runs.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { deliverWaiting } from '../webhooks.ts';
import { imageAddresses, isPicture, replaceImages } from './pictures.ts';
import { unescapeHtml } from '../../domain/core/text.ts';
import { workspacePathOf } from '../../domain/workspace-links.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex');

const reported = serveReportedRuns();
const { served, receiver, storeRun, end } = reported;
let smtp: MailServer;
let guarded: ReturnType<typeof createGuardedFetch>;
beforeAll(async () => {
  smtp = await MailServer.start();
  guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${smtp.port}`));
});
afterAll(async () => {
  await smtp.close();
  await guarded.close();
});

test('a mail shows the pictures of the workspace that its report names, and nothing else from there', async () => {
  const { user } = reported;
  const added = async (path: string, fields: object) =>
    (await user.client.post<{ id: string }>(`/api/${path}`, { name: 'Mail', ...fields })).json.id;
  const settings = { from: 'agents@example.org', tls: 'off' };
  const integration_id = await added('integrations', {
    kind: 'smtp',
    base_url: `smtp://127.0.0.1:${smtp.port}`,
    settings,
  });
  const destination = await added('destinations', { kind: 'email', integration_id, config: { to: ['a@example.com'] } });
  const runId = await storeRun([{ destination_id: destination, files: ['out/*.png'] }]);
  const workspace = await reported.workspaceOf(runId);
  await workspace.write('out/my chart.png', PNG);
  await workspace.write('out/fake.png', 'not a picture');
  const deps = await receiver.deps();
  const folder = `${deps.workspaceRoot}/${workspace.orgId}/${workspace.chatId}`;
  mkdirSync(`${deps.workspaceRoot}/outside`, { recursive: true });
  writeFileSync(`${deps.workspaceRoot}/outside/secret.png`, PNG);
  symlinkSync(`${deps.workspaceRoot}/outside/secret.png`, `${folder}/linked.png`);
  const names = [
    'out/fake.png',
    'linked.png',
    '../../outside/secret.png',
    '..%2f..%2foutside/secret.png',
    '/etc/x.png',
  ];
  const others = [...names, 'https://spy.example.com/p.png', '%', 'none.png'].map((each) => `![x](${each})`);
  await end(runId, 'completed', { output: `![Sales](<./out/my chart.png>)\n\n${others.join(' ')}` });
  const { rows } = await served.api.database.system.query<{ id: string }>(
    'select id from webhook_targets where destination_id = $1',
    [destination],
  );
  const target = { orgId: user.orgId, targetId: rows[0]?.id ?? '' };
  await deliverWaiting({ ...deps, sockets: guarded }, target, new AbortController().signal);
  const { html, attachments } = await PostalMime.parse(smtp.mails[0]?.mail ?? '');
  expect(html?.match(/<img[^>]*>/g)).toEqual([
    expect.stringMatching(/^<img src="cid:0\.[\w-]+@everturn" alt="Sales" \/>$/),
  ]);
  expect(attachments).toMatchObject([
    { filename: 'my chart.png', disposition: 'inline' },
    { filename: 'fake.png', disposition: 'attachment' },
  ]);
});

test('a report to a chat service has the pictures that it names as files, each once', async () => {
  const { user } = reported;
  const integration = await user.client.post<{ id: string }>('/api/integrations', {
    kind: 'telegram',
    name: 'Telegram',
    base_url: receiver.server.url,
    credentials: { token: '12:abc' },
  });
  const { json: destination } = await user.client.post<{ id: string }>('/api/destinations', {
    kind: 'telegram',
    name: 'Chat',
    integration_id: integration.json.id,
    config: { chat: '-100123' },
  });
  receiver.server.reply = json({ ok: true, result: {} });
  const runId = await storeRun([{ destination_id: destination.id, files: ['*.png'] }]);
  const workspace = await reported.workspaceOf(runId);
  await workspace.write('chart.png', PNG);
  await uploadFile(user.client, workspace.chatId, { name: 'photo.png', content: PNG });
  await end(runId, 'completed', {
    output: '![Sales](chart.png) ![Sales again](./chart.png) ![The shop](uploads/photo.png)',
  });
  await reported.deliver(destination.id);
  expect(receiver.server.seen.map(({ url }) => url)).toEqual([
    '/bot12:abc/sendMessage',
    '/bot12:abc/sendDocument',
    '/bot12:abc/sendDocument',
  ]);
});

test('an address names a path when it is relative', () => {
  const html = '<p><img src="./a%20b&amp;c.png" alt="src=&quot;x&quot;" /><img alt="none" /></p>';
  const [address = ''] = imageAddresses(html);
  expect([address, workspacePathOf(unescapeHtml(address))]).toEqual(['./a%20b&amp;c.png', 'a b&c.png']);
  expect(replaceImages(html, new Map([[address, 'cid:1']]))).toBe('<p><img src="cid:1" alt="src=&quot;x&quot;" /></p>');
});

test.each([
  [true, PNG],
  [true, Buffer.from('ffd8ffe0', 'hex')],
  [true, Buffer.from('GIF89a,')],
  [false, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  [false, Buffer.alloc(0)],
])('a picture is recognized by its first bytes: %s', (expected, content) => {
  expect(isPicture(content)).toBe(expected);
});
