import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { signatureOf } from '../api/access/webhook-signature.ts';
import { SecretBox } from '../db/core/secret-box.ts';
import { acceptMessage } from '../db/turns/accept-message.ts';
import { claimTurn } from '../db/turns/claim/claim-turn.ts';
import { finishTurn } from '../db/turns/steps/finish-turn.ts';
import { nextDelivery, type TargetRef } from '../db/webhooks/next-delivery.ts';
import { postpone, rest } from '../db/webhooks/attempts.ts';
import { purgeDeliveries } from '../db/webhooks/deliveries.ts';
import { signingSecrets } from '../db/webhooks/set-webhook.ts';
import type { DueWork } from '../domain/core/due-work.ts';
import { parsePrivateHosts } from '../domain/network/addresses.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../test/support/factories.ts';
import { json, OutsideServer, type Reply } from '../test/support/outside-server.ts';
import { registerColleague } from '../test/support/people.ts';
import { startTestApi, TEST_SECRET_KEY, type TestApi } from '../test/support/test-api.ts';
import { createTestDatabase, type TestDatabase } from '../test/support/test-database.ts';
import { webhookDeps } from '../test/support/webhook-deps.ts';
import { createGuardedFetch } from './core/network/guarded-fetch.ts';
import { deliverWaiting } from './webhooks.ts';
import { PLAIN_END } from '../test/support/plain-end.ts';

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly error: string | null;
  readonly next_attempt_at: string | null;
}

const SECRET = 'the first secret';
const OTHER_SECRET = 'the second secret';
const ENDED = { hasEnded: true, waitMs: 0 };
let testDatabase: TestDatabase;
let api: TestApi;
let receiver: OutsideServer;
let guarded: ReturnType<typeof createGuardedFetch>;
let user: TestUser;
let agentId: string;
let chatId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  receiver = await OutsideServer.start();
  const privateHosts = `127.0.0.1:${receiver.port}`;
  guarded = createGuardedFetch(parsePrivateHosts(privateHosts));
  api = await startTestApi({ databaseUrl: testDatabase.url, temporalAddress: '127.0.0.1:1', privateHosts });
});

beforeEach(async () => {
  receiver.seen.length = 0;
  receiver.reply = json({});
  user = await registerUser(api.url);
  agentId = await createAgent(user.client);
  chatId = await createChat(user.client, agentId);
  expect((await set({ url: hook(), secret: SECRET })).status).toBe(200);
});

afterAll(async () => {
  receiver.close();
  await guarded.close();
  await api.close();
  await testDatabase.drop();
});

const hook = (path = '/hook') => `${receiver.url}${path}`;
const webhookPath = () => `/api/chats/${chatId}/webhook`;
const set = async (fields: Record<string, unknown>) => user.client.patch(webhookPath(), fields);
const shown = async () =>
  (await user.client.get<{ webhook: Record<string, unknown> | null }>(`/api/chats/${chatId}`)).json.webhook;
const deliveries = async () => (await user.client.get<Delivery[]>(`${webhookPath()}/deliveries`)).json;
const change = async (text: string) => {
  await api.database.system.query(text);
};
const bodies = () => receiver.seen.map(({ body }) => JSON.parse(body) as { id: string; message: { content: string } });
const contents = () => bodies().map(({ message }) => message.content);

/** Has a turn of the chat answered. */
async function answer(content: string): Promise<void> {
  const { orgId, id: userId } = user;
  const message = { chatId, content: 'Go.', clientMessageId: undefined };
  await acceptMessage(api.database, { orgId, userId }, message);
  const turn = await claimTurn(api.database, { orgId, chatId });
  if (turn === undefined) throw new Error('no turn is open');
  await finishTurn(api.database, {
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
}

async function target(): Promise<TargetRef> {
  const { rows } = await api.database.system.query<{ id: string }>(
    'select id from webhook_targets where chat_id = $1',
    [chatId],
  );
  return { orgId: user.orgId, targetId: rows[0]?.id ?? '' };
}

/** Returns the addresses that are to be told something now. */
async function dueTargets(): Promise<TargetRef[]> {
  const { rows } = await api.database.system.query<TargetRef>(
    'select org_id as "orgId", id as "targetId" from webhook_targets where due_at <= now()',
  );
  return rows;
}

async function deliver(to?: TargetRef, secretKey = TEST_SECRET_KEY) {
  const deps = await webhookDeps(api.database, guarded, { box: new SecretBox([secretKey]) });
  return deliverWaiting(deps, to ?? (await target()), new AbortController().signal);
}

const waitNoLonger = async () => change('update webhook_deliveries set next_attempt_at = now()');
const failing: Reply = (response) => void response.writeHead(500).end('a secret of the receiver');

describe('the end of a turn', () => {
  test('is notified once, signed, with its delivery and its message', async () => {
    await answer('Sales rose.');
    expect(await dueTargets()).toContainEqual(await target());
    expect(await deliver()).toEqual(ENDED);
    expect(await deliver()).toEqual(ENDED);
    const [delivery] = await deliveries();
    const [seen, ...more] = receiver.seen;
    if (seen === undefined) throw new Error('nothing came');
    const { headers, body, method, url } = seen;
    expect([method, url, headers['content-type'], more]).toEqual(['POST', '/hook', 'application/json', []]);
    expect(headers['x-everturn-delivery']).toBe(delivery?.id);
    const own = String(headers['x-everturn-signature']);
    expect(own).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(signatureOf(SECRET, { own, hub: undefined }, Buffer.from(body))).toBeDefined();
    expect(JSON.parse(body)).toMatchObject({
      id: delivery?.id,
      type: 'message.created',
      chat: { id: chatId },
      message: { content: 'Sales rose.', status: 'completed', usage: { input_tokens: 3, output_tokens: 2 } },
    });
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, last_status: 200, error: null });
    expect(await dueTargets()).not.toContainEqual(await target());
  });

  test('wakes the workflow of an address that had nothing to be sent, and of no other', async () => {
    const woken: DueWork[] = [];
    api.database.onDueWork((work) => {
      if (work.kind === 'webhook') woken.push(work);
    });
    const work = { kind: 'webhook', ...(await target()) };
    await answer('One.');
    expect(woken).toEqual([work]);
    await answer('Two.');
    expect(woken).toEqual([work]);
    await deliver();
    await answer('Three.');
    expect(woken).toEqual([work, work]);
  });

  test('adds nothing for a chat without a webhook, and for one that was deleted', async () => {
    const { targetId } = await target();
    await user.client.delete(`/api/chats/${chatId}`);
    await answer('Said too late.').catch(() => undefined);
    chatId = await createChat(user.client, agentId);
    await answer('Said elsewhere.');
    const { rows } = await api.database.system.query('select from webhook_deliveries where target_id = $1', [targetId]);
    expect(rows).toEqual([]);
  });

  test('is not signed without a secret', async () => {
    await set({ url: hook(), secret: null });
    await answer('x');
    await deliver();
    expect(receiver.seen.map(({ headers }) => headers['x-everturn-signature'])).toEqual([undefined]);
  });

  test('is no longer notified once the webhook is removed, and its deliveries are forgotten', async () => {
    await answer('x');
    const removed = await target();
    expect((await set({ url: null })).json).toMatchObject({ webhook: null });
    expect(await deliver(removed)).toEqual(ENDED);
    expect([receiver.seen, await deliveries()]).toEqual([[], []]);
  });
});

describe('a receiver that fails', () => {
  test('is tried again with the same id after a wait, and notified in order', async () => {
    receiver.reply = (response) =>
      void response.writeHead(500, { 'Retry-After': '600' }).end('a secret of the receiver');
    await answer('One.');
    await answer('Two.');
    const { hasEnded, waitMs } = await deliver();
    expect(hasEnded).toBe(false);
    expect(waitMs).toBeGreaterThan(500_000);
    const [second, first] = await deliveries();
    expect(first).toMatchObject({ status: 'pending', attempts: 1, last_status: 500 });
    expect(first?.error).toBe('The receiver answered with status 500');
    expect(second).toMatchObject({ status: 'pending', attempts: 0 });
    receiver.reply = json({});
    await waitNoLonger();
    expect(await deliver()).toEqual(ENDED);
    expect(contents()).toEqual(['One.', 'One.', 'Two.']);
    expect(bodies()[0]).toEqual(bodies()[1]);
    expect(receiver.seen.map(({ headers }) => headers['x-everturn-delivery'])).toEqual([
      first?.id,
      first?.id,
      second?.id,
    ]);
  });

  test('is waited for as long as it asks', async () => {
    receiver.reply = (response) => void response.writeHead(429, { 'Retry-After': '3600' }).end();
    await answer('x');
    const { waitMs } = await deliver();
    expect(waitMs).toBeGreaterThan(3_590_000);
    await answer('y');
    expect(await dueTargets()).not.toContainEqual(await target());
  });

  test('does not keep what is asked for at the very moment in which its wait is noted', async () => {
    receiver.reply = failing;
    await answer('x');
    await deliver();
    const ref = await target();
    const before = await nextDelivery(api.database, ref);
    const version = before?.version ?? 0;
    const [only] = await deliveries();
    expect((await user.client.post(`${webhookPath()}/deliveries/${only?.id}/redeliver`)).status).toBe(202);
    expect(await postpone(api.database, ref, { version, waitMs: 1_000 })).toBe(false);
    expect(await rest(api.database, ref, { version })).toBe(false);
    expect(await dueTargets()).toContainEqual(ref);
  });

  test('is sent nothing more after 410, until its address is set again', async () => {
    receiver.reply = (response) => void response.writeHead(410).end();
    await answer('x');
    expect(await deliver()).toEqual(ENDED);
    await answer('y');
    expect(await shown()).toMatchObject({ status: 'paused', pause_reason: expect.stringContaining('410') });
    expect(await dueTargets()).not.toContainEqual(await target());
    expect((await deliveries()).map(({ status, next_attempt_at: next }) => [status, next])).toEqual([
      ['pending', null],
      ['failed', null],
    ]);
    receiver.reply = json({});
    expect((await set({ url: hook('/other') })).json).toMatchObject({
      webhook: { status: 'active', has_secret: true },
    });
    expect(await dueTargets()).toContainEqual(await target());
    expect(await deliver()).toEqual(ENDED);
    expect(receiver.seen.map(({ url }) => url)).toEqual(['/hook', '/other']);
  });

  test('is paused after five deliveries in a row were given up, and resumed by delivering one again', async () => {
    receiver.reply = failing;
    for (const content of ['1', '2', '3', '4', '5', '6']) await answer(content);
    await change("update webhook_deliveries set queued_at = now() - interval '4 days'");
    expect(await deliver()).toEqual(ENDED);
    expect(contents()).toEqual(['1', '2', '3', '4', '5']);
    expect(await shown()).toMatchObject({ status: 'paused', pause_reason: expect.stringContaining('5 deliveries') });
    receiver.reply = json({});
    const first = (await deliveries()).at(-1)?.id ?? '';
    const again = await user.client.post<Delivery>(`${webhookPath()}/deliveries/${first}/redeliver`);
    expect([again.status, again.json]).toEqual([202, expect.objectContaining({ id: first, status: 'pending' })]);
    expect(await shown()).toMatchObject({ status: 'active', pause_reason: null });
    expect(await deliver()).toEqual(ENDED);
    expect(contents().slice(5)).toEqual(['1', '6']);
    expect(bodies()[5]?.id).toBe(first);
  });

  test('that redirects is not followed, and is sent nothing of where it leads', async () => {
    receiver.reply = (response) => void response.writeHead(307, { location: hook('/elsewhere') }).end();
    await answer('x');
    await deliver();
    expect(receiver.seen.map(({ url }) => url)).toEqual(['/hook']);
    expect((await deliveries())[0]?.error).toBe('The receiver redirects elsewhere (307), which is not followed');
  });

  test.each([400, 413, 415, 422])(
    'gives up what it rejects with %i within the hour, and tells the next',
    async (status) => {
      receiver.reply = (response, { body }) => void response.writeHead(body.includes('Rejected') ? status : 200).end();
      await answer('Rejected.');
      await answer('Taken.');
      for (let tries = 1; tries < 6; tries += 1) {
        expect(await deliver()).toMatchObject({ hasEnded: false });
        await waitNoLonger();
      }
      expect(await deliver()).toEqual(ENDED);
      expect((await deliveries()).map((each) => [each.status, each.attempts])).toEqual([
        ['delivered', 1],
        ['failed', 6],
      ]);
      expect(await shown()).toMatchObject({ status: 'active' });
    },
  );

  test.each([401, 403, 404, 408, 429])('is tried for three days after %i', async (status) => {
    receiver.reply = (response) => void response.writeHead(status).end();
    await answer('x');
    await deliver();
    await change('update webhook_deliveries set tries = 8');
    await waitNoLonger();
    expect(await deliver()).toMatchObject({ hasEnded: false });
  });

  test('has taken what it answers with 200, though its answer never ends', async () => {
    receiver.reply = (response) => void response.writeHead(200).write('so far');
    await answer('x');
    expect(await deliver()).toEqual(ENDED);
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  test('may answer with more than anybody wants to read', async () => {
    receiver.reply = (response) => void response.writeHead(200).write('x'.repeat(100_000));
    await answer('x');
    expect(await deliver()).toEqual(ENDED);
  });

  test('in the inner network is not reached', async () => {
    await change("update webhook_targets set url = 'http://127.0.0.1:9/hook'");
    await answer('x');
    expect((await deliver()).hasEnded).toBe(false);
    expect((await deliveries())[0]?.error).toContain('private address');
  });
});

describe('a secret whose key was lost', () => {
  const LOST_KEY = 'a key that this installation has lost';
  /** Encrypts the secret of the webhook with the lost key. */
  const loseKey = async () => {
    const sealed = signingSecrets.seal(new SecretBox([LOST_KEY]), { orgId: user.orgId, id: chatId }, SECRET);
    await api.database.system.query('update webhook_targets set secret = $1 where chat_id = $2', [sealed, chatId]);
  };

  test('is a failure of each delivery that says why, until the key is back', async () => {
    await loseKey();
    await answer('One.');
    expect(await deliver()).toMatchObject({ hasEnded: false });
    expect(receiver.seen).toEqual([]);
    expect(await deliveries()).toMatchObject([
      { status: 'pending', attempts: 1, error: expect.stringContaining('does not have the key'), last_status: null },
    ]);
    await waitNoLonger();
    expect(await deliver(undefined, LOST_KEY)).toEqual(ENDED);
    expect(contents()).toEqual(['One.']);
  });

  test('is replaced by one that is set again, and signs nothing any more', async () => {
    await loseKey();
    expect((await set({ url: hook(), secret: SECRET })).status).toBe(200);
    await answer('x');
    expect(await deliver()).toEqual(ENDED);
    expect(receiver.seen[0]?.headers['x-everturn-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  });
});

test('an unexpected error is a failure of the delivery that says so, and is attempted again after a wait', async () => {
  await answer('x');
  const { system } = api.database;
  const withoutTimes = Object.assign(Object.create(api.database) as typeof api.database, {
    tenant: {
      query: async (orgId: string, statement: { readonly name?: string }) => {
        const rows = await api.database.tenant.query(orgId, statement as never);
        return statement.name === 'subject-message' ? rows.map(() => ({ kind: 'message' })) : rows;
      },
    },
  });
  const deps = await webhookDeps(withoutTimes, guarded);
  await expect(deliverWaiting(deps, await target(), new AbortController().signal)).rejects.toThrow(TypeError);
  expect(await deliveries()).toMatchObject([
    { status: 'pending', attempts: 1, error: expect.stringContaining('internal') },
  ]);
  const { rows } = await system.query(
    'select from webhook_deliveries where next_attempt_at > now() and target_id = $1',
    [(await target()).targetId],
  );
  expect(rows).toHaveLength(1);
});

describe('a new secret', () => {
  const signed = (secret: string) => {
    const last = receiver.seen.at(-1);
    const own = String(last?.headers['x-everturn-signature']);
    return signatureOf(secret, { own, hub: undefined }, Buffer.from(last?.body ?? '')) !== undefined;
  };

  test('signs beside the former one for a day', async () => {
    await set({ url: hook(), secret: OTHER_SECRET });
    await set({ url: hook(), secret: OTHER_SECRET });
    await set({ url: hook() });
    await answer('x');
    await deliver();
    expect(receiver.seen.at(-1)?.headers['x-everturn-signature']).toMatch(/^t=\d+(?:,v1=[0-9a-f]{64}){2}$/);
    expect([signed(SECRET), signed(OTHER_SECRET)]).toEqual([true, true]);
    await change('update webhook_targets set former_until = now()');
    await answer('y');
    await deliver();
    expect([signed(SECRET), signed(OTHER_SECRET)]).toEqual([false, true]);
  });

  test('is never stored in clear', async () => {
    const { rows } = await api.database.system.query<{ row: string }>(
      "select t::text || coalesce(encode(secret, 'escape'), '') as row from webhook_targets t",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(SECRET))).toEqual([]);
  });
});

test('a webhook is paused when who has set it is no longer there', async () => {
  const colleague = await registerColleague(api, user, 'member');
  await answer('x');
  const setBy = async (userId: string) =>
    api.database.system.query('update webhook_targets set user_id = $1 where chat_id = $2', [userId, chatId]);
  await setBy(colleague.id);
  await api.database.system.query('delete from memberships where user_id = $1', [colleague.id]);
  expect(await deliver()).toEqual(ENDED);
  expect(receiver.seen).toEqual([]);
  expect(await shown()).toMatchObject({
    status: 'paused',
    pause_reason: expect.stringContaining('no longer a member'),
  });
});

test('old deliveries are forgotten, and of many the oldest, though none that waits', async () => {
  for (const content of ['1', '2', '3']) await answer(content);
  const [newest, middle, oldest] = await deliveries();
  await api.database.system.query(
    "update webhook_deliveries set created_at = now() - interval '31 days' where id = $1",
    [oldest?.id],
  );
  await purgeDeliveries(api.database);
  expect(await deliveries()).toHaveLength(3);
  await change(`update webhook_targets set purge_at = now() where chat_id = '${chatId}'`);
  await purgeDeliveries(api.database);
  expect((await deliveries()).map(({ id }) => id)).toEqual([newest?.id, middle?.id]);
  const { targetId, orgId } = await target();
  await api.database.system.query(
    `insert into webhook_deliveries (id, org_id, target_id, message_id, status)
      select ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, $2, d.message_id, 'delivered'
      from generate_series(1, 999) n, webhook_deliveries d where d.id = $3`,
    [orgId, targetId, newest?.id],
  );
  const first = async () => {
    await change(`update webhook_targets set purge_at = now() where chat_id = '${chatId}'`);
    await purgeDeliveries(api.database);
    const { rows } = await api.database.system.query<{ id: string }>(
      'select id from webhook_deliveries where target_id = $1 order by id limit 1',
      [targetId],
    );
    return rows[0]?.id;
  };
  expect(await first()).toBe(middle?.id);
  await change(`update webhook_deliveries set status = 'failed' where id = '${middle?.id}'`);
  expect(await first()).toBe(newest?.id);
});
