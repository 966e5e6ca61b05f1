import { createHmac, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { BROKEN_WHOLES } from '../../test/contract/broken-bodies.ts';
import { createAgent, registerUser, type TestUser } from '../../test/support/factories.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { startTestApi } from '../../test/support/test-api.ts';

interface Run {
  readonly id: string;
  readonly user_id: string;
  readonly prompt: string;
  readonly status: string;
  readonly triggered_by: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly missing_variables: readonly string[];
}

// Without an engine: what is accepted is stored, and goes on later.
const served = serveTestApi();
const SECRET = 'a shared secret';
let user: TestUser;
let id: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  id = await addWorkflow();
});

async function addWorkflow(fields: Record<string, unknown> = {}, isActive = true): Promise<string> {
  const agent_id = await createAgent(user.client);
  const workflow = {
    name: 'Triage',
    agent_id,
    trigger_type: 'webhook',
    prompt_template: 'Look: {{ text }} {{ more }}',
  };
  const { json } = await user.client.post<{ id: string }>('/api/workflows', { ...workflow, ...fields });
  if (isActive) await user.client.post(`/api/workflows/${json.id}/activate`);
  return json.id;
}

type Body = string | Uint8Array;

async function send(body: Body, headers: Record<string, string> = {}, to = id, url = served.url) {
  const path = `${url}/api/workflows/${to}/webhook`;
  const answer = await request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: answer.statusCode, json: (await answer.body.json()) as { run_id: string; detail: unknown } };
}

const runs = async (of = id) => (await user.client.get<Run[]>(`/api/workflows/${of}/runs`)).json;

function signedByHub(body: string) {
  return { 'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}` };
}

function signed(body: string, { seconds = Math.floor(Date.now() / 1_000), secret = SECRET } = {}) {
  const v1 = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { 'x-everturn-signature': `t=${seconds},v1=${v1}` };
}

describe('the webhook of a workflow', () => {
  test('starts a run with the entries of the body, in the name of the owner, while Temporal is away', async () => {
    const { status, json } = await send('{"text": "it broke", "user": {"name": "Ada"}}');
    expect(status).toBe(202);
    const [run] = await runs();
    expect(run).toMatchObject({
      id: json.run_id,
      user_id: user.id,
      prompt: 'Look: it broke ',
      triggered_by: 'webhook',
      status: 'running',
      variables: { text: 'it broke', user: { name: 'Ada' } },
      missing_variables: ['more'],
    });
    const { json: chats } = await user.client.get<{ title: string }[]>('/api/chats');
    expect(chats).toMatchObject([{ title: expect.stringContaining('Triage, ') }]);
    expect((await user.client.get(`/api/workflows/${id}/conversations`)).json).toEqual(chats);
  });

  test('answers a repeated delivery with the first run, also when both come at once', async () => {
    const header = { 'x-delivery-id': 'delivery-1' };
    const all = await Promise.all(Array.from({ length: 10 }, async (_, at) => send(`{"text": ${at}}`, header)));
    expect(new Set(all.map(({ status, json }) => `${status} ${json.run_id}`)).size).toBe(1);
    expect((await send('{}', { 'idempotency-key': 'delivery-1' })).json.run_id).toBe(all[0]?.json.run_id);
    expect((await send('{}', { 'x-delivery-id': 'delivery-2' })).json.run_id).not.toBe(all[0]?.json.run_id);
    expect(await runs()).toHaveLength(2);
    // The same id at another workflow is another delivery.
    const other = await addWorkflow();
    await send('{}', header, other);
    expect(await runs(other)).toHaveLength(1);
    const tooLong = await send('{}', { 'x-delivery-id': 'x'.repeat(256) });
    expect(tooLong).toMatchObject({ status: 422, json: { detail: [{ loc: ['header', 'x-delivery-id'] }] } });
  });

  test.each([
    ['manual', {}],
    ['schedule', { interval_minutes: 600 }],
  ])('starts runs of a workflow with the trigger type %s, too', async (trigger_type, times) => {
    const of = await addWorkflow({ trigger_type, ...times });
    const { status, json } = await send('{"text": "it broke"}', {}, of);
    expect(status).toBe(202);
    expect(await runs(of)).toMatchObject([{ id: json.run_id, prompt: 'Look: it broke ', triggered_by: 'webhook' }]);
  });

  test('is not there for an unknown id, an inactive workflow, and one whose owner has left', async () => {
    const inactive = await addWorkflow({}, false);
    const left = await addWorkflow();
    await served.api.database.system.query('update agent_workflows set owner_id = null where id = $1', [left]);
    const answers = await Promise.all([randomUUID(), inactive, left].map(async (to) => send('{}', {}, to)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 404, json: { detail: 'Workflow not found' } })]),
    );
    expect((await send('{}', {}, 'no-id')).status).toBe(422);
    await user.client.post(`/api/workflows/${id}/deactivate`);
    expect((await send('{}')).status).toBe(404);
  });

  test('keeps numbers as they were sent, in the prompt and in the variables', async () => {
    id = await addWorkflow({ prompt_template: '{{ id }} {{ price }} {{ deep.list.0 }} {{ deep }} {{ id.rawJSON }}' });
    const sent = '{"price":1.10,"id":1234567890123456789,"deep":{"list":[1e400,1.0]}}';
    await send(sent);
    const [run] = await runs();
    expect(run?.prompt).toBe('1234567890123456789 1.10 1e400 {"list":[1e400,1.0]} ');
    const shown = await request(`${served.url}/api/workflows/${id}/runs`, {
      headers: { authorization: `Bearer ${user.accessToken}` },
    });
    expect(await shown.body.text()).toContain(`"variables":${sent}`);
  });

  test.each([
    'application/cloudevents+json',
    'application/vnd.github.v3+json; charset=utf-8',
    'APPLICATION/LD+JSON',
    'application/json; charset="UTF8"',
  ])('takes a body that is sent as %s', async (type) => {
    expect((await send('{"text":"a"}', { 'content-type': type })).status).toBe(202);
  });

  test.each(BROKEN_WHOLES)('answers 422 to $fault, and starts nothing', async ({ text }) => {
    expect((await send(text)).status).toBe(422);
    expect(await runs()).toEqual([]);
  });

  test('answers 4xx to what is no JSON object of up to 1 MB, and starts nothing', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(1_100_000) });
    expect((await send(large)).status).toBe(413);
    expect((await send(new Uint8Array(gzipSync(large)), { 'content-encoding': 'gzip' })).status).toBe(413);
    expect((await send('text=1', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect((await send('')).status).toBe(422);
    expect((await send(String.raw`{"text": "\u0000"}`)).status).toBe(422);
    // As JSON it fits; as a prompt it does not.
    expect((await send(JSON.stringify({ text: 'x'.repeat(300_000) }))).status).toBe(422);
    const empty = await addWorkflow({ prompt_template: '{{ text }}' });
    expect((await send('{}', {}, empty)).status).toBe(422);
    expect(await runs()).toEqual([]);
    expect((await send(JSON.stringify({ unused: 'x'.repeat(1_000_000) }))).status).toBe(202);
  });
});

describe('the webhook of a workflow with a secret', () => {
  beforeEach(async () => {
    await user.client.patch(`/api/workflows/${id}`, { webhook_secret: SECRET });
  });

  test('takes what is signed with it, and nothing else', async () => {
    const body = '{"text": "ä"}';
    const old = signed(body, { seconds: Math.floor(Date.now() / 1_000) - 301 });
    for (const headers of [{}, signed('{}'), signed(body, { secret: 'another' }), old, { 'x-everturn-signature': 'x' }])
      expect((await send(body, headers)).status).toBe(401);
    expect(await runs()).toEqual([]);
    expect((await send(body, signed(body))).status).toBe(202);
    expect((await send(body, signedByHub(body))).status).toBe(202);
    expect(await runs()).toMatchObject([{ prompt: 'Look: ä ' }, { prompt: 'Look: ä ' }]);
  });

  const NOW = Math.floor(Date.now() / 1_000);
  const BODY = '{"text": "pay"}';

  test.each([
    ['X-Everturn-Signature', signed(BODY)],
    ['X-Hub-Signature-256', signedByHub(BODY)],
  ])('answers a request that is replayed under other ids with the first run: %s', async (_form, headers) => {
    const rewritten = Object.entries(headers).map(([name, value]) => {
      const digest = value.slice(-64);
      const others = value.startsWith('t=') ? `v1=${'0'.repeat(64)}, v1=${digest.toUpperCase()},t=${NOW}` : digest;
      return [name, value.startsWith('t=') ? others.replace(`t=${NOW}`, value.split(',')[0] ?? '') : others];
    });
    const first = await send(BODY, { ...headers, 'x-delivery-id': 'first' });
    expect(first.status).toBe(202);
    const replays = [
      headers,
      { ...headers, 'x-delivery-id': 'second' },
      { ...headers, 'idempotency-key': 'third' },
      { ...headers, 'x-github-delivery': 'fourth' },
      Object.fromEntries(rewritten) as Record<string, string>,
    ];
    for (const replay of replays) expect(await send(BODY, replay)).toEqual(first);
    expect(await runs()).toHaveLength(1);
  });

  test('compares no signature of a text that could be signed in the other form', async () => {
    const body = `${NOW}.${BODY}`;
    const { 'x-hub-signature-256': hub } = signedByHub(body);
    const answers = [];
    for (const digest of [hub.slice('sha256='.length), '0'.repeat(64)])
      answers.push(await send(body, { 'x-hub-signature-256': `sha256=${digest}` }));
    expect(answers.map(({ status }) => status)).toEqual([422, 422]);
    expect(answers[0]).toEqual(answers[1]);
    for (const text of [`"${body}"`, `[${BODY}]`, '1700000000.5'])
      expect((await send(text, signedByHub(text))).status).toBe(422);
    expect(
      (await send(BODY, { 'x-everturn-signature': `t=${NOW},v1=${signedByHub(BODY)['x-hub-signature-256'].slice(7)}` }))
        .status,
    ).toBe(401);
    expect(
      (await send(BODY, { 'x-hub-signature-256': `sha256=${signed(BODY)['x-everturn-signature'].slice(-64)}` })).status,
    ).toBe(401);
    expect(await runs()).toEqual([]);
  });

  test('starts one run when a request comes under several ids at once', async () => {
    const ids = Array.from({ length: 10 }, (_, at) => ({ ...signedByHub(BODY), 'x-delivery-id': `at-once-${at}` }));
    const answers = await Promise.all(ids.map(async (headers) => send(BODY, headers)));
    expect(new Set(answers.map(({ status, json }) => `${status} ${json.run_id}`)).size).toBe(1);
    expect(await runs()).toHaveLength(1);
  });

  test('recognizes a request that was repeated and signed again by each of its signatures', async () => {
    const id = { 'x-delivery-id': 'the same' };
    const first = await send(BODY, { ...signed(BODY, { seconds: NOW - 10 }), ...id });
    const anew = signed(BODY, { seconds: NOW - 5 });
    expect(await send(BODY, { ...anew, ...id })).toEqual(first);
    expect(await send(BODY, { ...anew, 'x-delivery-id': 'another' })).toEqual(first);
    expect(await runs()).toHaveLength(1);
  });

  test('takes equal bodies that were signed at other times for other events, and each workflow its own', async () => {
    const other = await addWorkflow({ webhook_secret: SECRET });
    for (const seconds of [NOW - 2, NOW - 1]) expect((await send(BODY, signed(BODY, { seconds }))).status).toBe(202);
    expect((await send(BODY, signed(BODY, { seconds: NOW - 1 }), other)).status).toBe(202);
    expect([(await runs()).length, (await runs(other)).length]).toEqual([2, 1]);
  });

  test('is open again when the secret is removed, which is never shown', async () => {
    const { json } = await user.client.get(`/api/workflows/${id}`);
    expect(json).toMatchObject({ has_webhook_secret: true });
    expect(JSON.stringify(json)).not.toContain(SECRET);
    await user.client.patch(`/api/workflows/${id}`, { webhook_secret: null });
    expect((await send('{}')).status).toBe(202);
  });
});

test('requests to one webhook are limited, and neither by address nor together with others', async () => {
  const { url } = served.api.database;
  const requestRates = { perUser: 0, perKey: 0, perAddress: 3, perWebhook: 5 };
  const limited = await startTestApi({ databaseUrl: url, temporalAddress: '127.0.0.1:1', requestRates });
  const statuses = async (count: number, to: string, headers = {}) =>
    (await Promise.all(Array.from({ length: count }, async () => send('{}', headers, to, limited.url))))
      .map(({ status }) => status)
      .toSorted((a, b) => a - b);
  expect(await statuses(7, id)).toEqual([202, 202, 202, 202, 202, 429, 429]);
  const other = await addWorkflow({ webhook_secret: SECRET });
  // Who cannot sign uses up the allowance of their address, and nothing of the webhook's.
  expect(await statuses(5, other)).toEqual([401, 401, 401, 429, 429]);
  expect(await statuses(1, randomUUID())).toEqual([429]);
  expect(await statuses(1, other, signed('{}'))).toEqual([202]);
  await limited.close();
});

test('requests to the webhooks of one owner are limited together, in all their organizations', async () => {
  const { url } = served.api.database;
  const requestRates = { perUser: 0, perKey: 0, perAddress: 0, perWebhook: 1 };
  const limited = await startTestApi({ databaseUrl: url, temporalAddress: '127.0.0.1:1', requestRates });
  const owner = await registerUser(served.url);
  const webhooksIn = async (headers: Record<string, string>, count: number) => {
    const post = async (path: string, body: object) => owner.client.send<{ id: string }>('POST', path, body, headers);
    const agent = await post('/api/agents', { name: 'A' });
    const fields = { name: 'W', agent_id: agent.json.id, trigger_type: 'webhook', prompt_template: 'x' };
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const { json } = await post('/api/workflows', fields);
      await post(`/api/workflows/${json.id}/activate`, {});
      ids.push(json.id);
    }
    return ids;
  };
  const { json: other } = await owner.client.post<{ id: string }>('/api/orgs', { name: 'Other' });
  const ids = [
    ...(await webhooksIn({ 'x-org-id': owner.orgId }, 6)),
    ...(await webhooksIn({ 'x-org-id': other.id }, 6)),
  ];
  const statuses: number[] = [];
  for (const each of ids) statuses.push((await send('{}', {}, each, limited.url)).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 202), 429, 429]);
  await limited.close();
});
