import { ECDH } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { notifyAsked } from '../../db/notifications/notify-asked.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { answer, PushService, SubscribedBrowser } from '../../test/support/push-service.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { storeWaitingCall } from '../../test/support/waiting-call.ts';
import { webhookDeps } from '../../test/support/webhook-deps.ts';
import { createGuardedFetch } from '../core/network/guarded-fetch.ts';
import { deliverWaiting } from '../webhooks.ts';

const served = serveTestApi();
const signal = new AbortController().signal;

let service: PushService;
let guarded: ReturnType<typeof createGuardedFetch>;
let user: TestUser;
let agentId: string;
let browser: SubscribedBrowser;

beforeAll(async () => {
  service = await PushService.start();
  guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${service.port}`));
});
afterAll(async () => {
  service.close();
  await guarded.close();
});

/** A user who is notified in one browser. */
beforeEach(async () => {
  service.messages.length = 0;
  service.faults = [];
  user = await registerUser(served.url);
  agentId = await createAgent(user.client, { name: 'Lead & Co' });
  browser = await subscribe(user, '/first');
});

const query = async <T extends object>(text: string, values: unknown[] = [user.orgId]) =>
  (await served.api.database.system.query<T>(text, values)).rows;

/** Subscribes a browser to the service of the test, which has no certificate. */
async function subscribe({ client, id }: TestUser, path: string, url = service.url): Promise<SubscribedBrowser> {
  const opened = await SubscribedBrowser.open();
  const { p256dh, auth } = opened;
  const fields = { endpoint: `https://push.example.com${path}/${id}`, p256dh, auth };
  const { status } = await client.post('/api/users/me/push-subscriptions', fields);
  expect(status).toBe(201);
  await query('update push_subscriptions set endpoint = replace(endpoint, $2, $3) where user_id = $1', [
    id,
    'https://push.example.com',
    url,
  ]);
  return opened;
}

/** Makes all due deliveries of the organization. */
async function deliver(): Promise<void> {
  const deps = await webhookDeps(served.api.database, guarded);
  const targets = await query<{ id: string }>('select id from webhook_targets where org_id = $1 and due_at <= now()');
  for (const { id } of targets) await deliverWaiting(deps, { orgId: user.orgId, targetId: id }, signal);
}

async function again(): Promise<void> {
  await query("update webhook_deliveries set next_attempt_at = now() where org_id = $1 and status = 'pending'");
  await query('update webhook_targets set due_at = now() where org_id = $1');
  await deliver();
}

async function ask(options?: Parameters<typeof storeWaitingCall>[2]) {
  const ref = { orgId: user.orgId, userId: user.id, chatId: await createChat(user.client, agentId) };
  const waiting = await storeWaitingCall(served.api.database, ref, options);
  const notify = async () => notifyAsked(served.api.database, { orgId: user.orgId, turnId: waiting.turnId });
  await notify();
  return { ...waiting, notify };
}

const subscriptions = async ({ client }: TestUser = user) =>
  (await client.get<{ error: string | null }[]>('/api/users/me/push-subscriptions')).json;

const audited = async () => (await user.client.get('/api/audit?record_type=approvals')).json;

function pushed(at = 0) {
  const message = service.messages[at];
  if (message === undefined) throw new Error('nothing was sent');
  return message;
}

describe('somebody who is notified in a browser', () => {
  test('reads there what a question asks', async () => {
    await ask({ defaultAnswer: '4.1', arguments: { question: 'Which release?', options: ['4.1', '4.2'] } });
    await deliver();
    expect(await browser.read(pushed())).toMatchObject({
      title: 'Lead & Co asks you a question',
      body: expect.stringMatching(/^Which release\?\n/),
    });
  });

  test('reads there who asks for what, with no arguments, and is led to the inbox', async () => {
    const { approvalId } = await ask({ arguments: { path: 'a.txt', content: 'the arguments stay here' } });
    await deliver();
    await again();
    expect(service.messages).toHaveLength(1);
    expect(await browser.read(pushed())).toEqual({
      title: 'Lead & Co asks for your approval',
      body: expect.stringMatching(/^Writing a\.txt\n.*'s organization$/),
      tag: approvalId,
      path: `/o/${user.orgId}/inbox?id=${approvalId}`,
    });
    const { headers, body, path } = pushed();
    expect(path).toBe(`/first/${user.id}`);
    expect(headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      urgency: 'high',
      topic: approvalId.replaceAll('-', ''),
    });
    expect([Number(headers['ttl']) > 3_500, Number(headers['ttl']) <= 3_600, body.includes('Lead')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await audited()).toMatchObject([
      { action: 'approvals.push', outcome: 'success', actor_id: user.id, related_ids: [user.id, agentId] },
    ]);
    expect(await subscriptions()).toMatchObject([
      { error: null, is_current: true, service: `127.0.0.1:${service.port}` },
    ]);
  });

  test('is notified by messages that the key of the installation has signed, for their service alone', async () => {
    await ask();
    await deliver();
    const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(pushed().headers.authorization ?? '') ?? [];
    expect((await user.client.get('/api/users/me/push-key')).json).toEqual({ public_key: key });
    const point = Buffer.from(String(ECDH.convertKey(key, 'prime256v1', 'base64url', 'base64url')), 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    const keys = createLocalJWKSet({ keys: [{ kty: 'EC', crv: 'P-256', alg: 'ES256', x, y } as never] });
    const { payload } = await jwtVerify(token, keys, {
      audience: service.url,
      subject: 'https://everturn.example.com',
    });
    expect(Number(payload.exp) * 1_000 - Date.now()).toBeLessThan(24 * 3_600_000);
  });

  test('is reminded by a message that replaces the first', async () => {
    await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_reminder_minutes: 30 });
    const { notify } = await ask();
    await deliver();
    await query('update approvals set remind_at = now() where org_id = $1');
    await notify();
    await deliver();
    expect(service.messages).toHaveLength(2);
    expect(await browser.read(pushed(1))).toMatchObject({ title: 'Reminder: Lead & Co asks for your approval' });
    expect(pushed(1).headers['topic']).toBe(pushed(0).headers['topic']);
  });

  test('is notified of nothing that was decided in the meantime', async () => {
    const { approvalId } = await ask();
    await user.client.post(`/api/approvals/${approvalId}/decision`, { approve: false });
    await deliver();
    expect(service.messages).toEqual([]);
  });

  test('is notified later, where the service fails at first, and reads why in the profile until then', async () => {
    service.faults = [answer(503), answer(302, { location: `${service.url}/elsewhere` }), answer(429)];
    await ask();
    await deliver();
    expect(await subscriptions()).toMatchObject([{ error: 'The receiver answered with status 503' }]);
    await again();
    expect(await subscriptions()).toMatchObject([{ error: expect.stringContaining('redirects elsewhere (302)') }]);
    await again();
    expect([service.messages, await subscriptions()]).toMatchObject([[], [{ error: expect.stringContaining('429') }]]);
    await again();
    expect([service.messages.length, await subscriptions()]).toMatchObject([1, [{ error: null }]]);
  });
});

describe('a subscription', () => {
  test.each([404, 410])('ends once its service answers %s, and nothing is tried again', async (status) => {
    service.faults = [answer(status)];
    await ask();
    await deliver();
    expect(await subscriptions()).toEqual([]);
    expect(await query('select id from webhook_targets where org_id = $1')).toEqual([]);
    await deliver();
    expect([service.messages, await audited()]).toEqual([[], []]);
  });

  test('leads to no private address', async () => {
    await query("update push_subscriptions set endpoint = 'https://127.0.0.1:1/' || id where user_id = $1", [user.id]);
    await ask();
    await deliver();
    expect(await subscriptions()).toMatchObject([{ error: expect.stringContaining('private') }]);
  });

  test('delays no other: each browser has a queue of its own', async () => {
    const { email, password } = user;
    const { json } = await user.client.post<{ access_token: string }>('/api/auth/login', { email, password });
    const second = { ...user, client: user.client.as(json.access_token) };
    const other = await subscribe(second, '/second');
    service.faults = [answer(503)];
    await ask();
    await deliver();
    expect(service.messages).toHaveLength(1);
    await again();
    const paths = service.messages.map(({ path }) => path);
    expect(paths.toSorted()).toEqual([`/first/${user.id}`, `/second/${user.id}`]);
    const [at] = [paths.indexOf(`/second/${user.id}`)];
    expect(await other.read(pushed(at))).toMatchObject({ title: 'Lead & Co asks for your approval' });
  });

  test('is of no use once its user has left the organization, or has signed out', async () => {
    const grace = await registerColleague(served.api, user, 'admin');
    await subscribe(grace, '/grace');
    await user.client.patch(`/api/orgs/${user.orgId}`, { approvals_escalation_minutes: 30 });
    const { notify } = await ask();
    await query('update approvals set escalate_at = now() where org_id = $1');
    await notify();
    await query('delete from memberships where org_id = $1 and user_id = $2', [user.orgId, grace.id]);
    await user.client.post('/api/auth/logout');
    await deliver();
    expect(service.messages).toEqual([]);
  });
});
