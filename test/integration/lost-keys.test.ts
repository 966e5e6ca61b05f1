import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { SecretBox } from '../../db/core/secret-box.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { createIntegration } from '../../db/integrations/integrations.ts';
import { openCredentials, sealCredentials } from '../../db/providers/provider-accounts.ts';
import { ApiClient } from '../support/api-client.ts';
import { createProvider } from '../support/factories.ts';
import { sendAsSlack, slackEvent } from '../support/fake-slack.ts';
import { TEST_SECRET_KEY } from '../support/test-api.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';
import { OpenChat } from './open-chat.ts';

const LOST_KEY = 'a key that this installation has lost';
const known = new SecretBox([TEST_SECRET_KEY]);
const lost = new SecretBox([LOST_KEY]);
const lostForEver = new SecretBox(['another one']);

let instance: TestInstance;
let chat: OpenChat;
beforeAll(async () => {
  instance = await startTestInstance();
});
afterAll(async () => instance.close());
afterEach(() => chat.close());

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly disabled_reason: string | null;
}

/** Encrypts the credentials of an account of the chat's organization with a key that was lost. */
async function loseKeyOf(name: string, box = lost): Promise<void> {
  const { system } = instance.api.database;
  const { rows } = await system.query<{ id: string; orgId: string; credentials: Buffer }>(
    'select id, org_id as "orgId", credentials from provider_accounts where org_id = $1 and name = $2',
    [chat.user.orgId, name],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`there is no account ${name}`);
  const sealed = sealCredentials(box, row, openCredentials(known, row));
  await system.query('update provider_accounts set credentials = $2 where id = $1', [row.id, sealed]);
}

async function account(name: string, client = chat.user.client): Promise<Shown | undefined> {
  return (await client.get<Shown[]>('/api/providers')).json.find((each) => each.name === name);
}

async function send(content: string) {
  const stream = await chat.post({ content });
  const { event } = await stream.waitForEnd();
  return { event, answer: (await chat.answers()).at(-1) };
}

describe('an account whose credentials were encrypted with a key that was lost', () => {
  test('is passed over for the next of its step, and for the next of the chain', async () => {
    chat = await OpenChat.create(instance, { provider: { name: 'First' } });
    const { client } = chat.user;
    await createProvider(client, instance.model.url, { name: 'Second' });
    await createProvider(client, instance.model.url, { provider_type: 'groq', name: 'Third', model_name: 'three' });
    const steps = [{ provider_type: 'openai-compatible' }, { provider_type: 'groq' }];
    const { json } = await client.post<{ id: string }>('/api/providers/chains', { name: 'Chain', steps });
    await client.patch(`/api/chats/${chat.id}/provider-chain`, { provider_chain_id: json.id });
    await loseKeyOf('First');
    expect((await send('one')).answer).toMatchObject({ content: 'You said: one', provider_used: 'Second' });
    await loseKeyOf('Second');
    expect((await send('two')).answer).toMatchObject({ content: 'You said: two', provider_used: 'Third' });
    expect(await account('Third')).toMatchObject({ status: 'active' });
  });
});

describe('a tool whose credentials were encrypted with a key that was lost', () => {
  /** Has the agent make a call, and returns its result for the model. */
  async function call(name: string, args: object) {
    const { answer } = await send(`[[tool ${name} ${JSON.stringify(args)}]] [[then]] [[say heard]]`);
    expect(answer).toMatchObject({ content: 'heard', metadata_: { status: 'completed' } });
    const calls = answer?.metadata_['tool_calls_detail'] as { status: string; result: string }[] | undefined;
    return calls?.[0];
  }
  const failure = { status: 'error', result: expect.stringMatching(/"class":"denied".*cannot be decrypted/) };

  test('is told to the model when it is of an integration, whose record says so', async () => {
    const agent = { tools: ['github_issue'], requires_approval: { github_issue: 'never' } };
    chat = await OpenChat.create(instance, { agent });
    const { orgId, client } = chat.user;
    const fields = { kind: 'github' as const, name: 'Ours', baseUrl: null, settings: {}, secretPlaces: [] };
    const { id } = await withOrgTransaction(instance.api.database, orgId, async (em) =>
      createIntegration(em, lost, {
        ...fields,
        orgId,
        ownerId: null,
        commandVariables: {},
        testRequest: null,
        credentials: { token: 'ghp_x' },
      }),
    );
    expect(await call('github_issue', { action: 'list', repo: 'a/b' })).toMatchObject(failure);
    const { json } = await client.get(`/api/integrations/${id}`);
    expect(json).toMatchObject({ status: 'failing', error: expect.stringContaining('does not have the key') });
    const tried = await client.post(`/api/integrations/${id}/test`);
    expect(tried.json).toMatchObject({ ok: false, error: expect.stringContaining('cannot be decrypted') });
  });

  test('is told to the model when it is of an MCP server', async () => {
    chat = await OpenChat.create(instance, { agent: { tools: ['mcp'] } });
    const { system } = instance.api.database;
    const [orgId, id] = [chat.user.orgId, randomUUID()];
    const tool = {
      name: 'look',
      description: 'Looks.',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    };
    await system.query(
      `insert into mcp_servers (id, org_id, name, url, auth_type, auth_value, connection, tools)
        values ($1, $2, 'a', 'http://127.0.0.1:9/mcp', 'bearer', $3, gen_random_uuid(), $4)`,
      [id, orgId, lost.seal('token', `mcp_servers/${orgId}/${id}`), JSON.stringify([tool])],
    );
    await system.query('update agents set mcps = $2 where org_id = $1', [orgId, JSON.stringify([{ id }])]);
    expect(await call('mcp__a__look', {})).toMatchObject(failure);
  });
});

test('a webhook whose secret was encrypted with a key that was lost is refused with the reason', async () => {
  chat = await OpenChat.create(instance);
  const { client, orgId } = chat.user;
  const agents = await client.get<{ id: string }[]>('/api/agents');
  const workflow = await client.post<{ id: string }>('/api/workflows', {
    name: 'Told',
    agent_id: agents.json[0]?.id,
    trigger_type: 'webhook',
    prompt_template: 'x',
    webhook_secret: 'a secret that is long enough',
  });
  const { id } = workflow.json;
  await client.post(`/api/workflows/${id}/activate`);
  const sealed = lost.seal('a secret', `agent-workflows/${orgId}/${id}/webhook-secret`);
  await instance.api.database.system.query('update agent_workflows set webhook_secret = $2 where id = $1', [
    id,
    sealed,
  ]);
  const answer = await fetch(`${instance.api.url}/api/workflows/${id}/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-everturn-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`,
    },
    body: '{}',
  });
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('cannot be decrypted')]);
});

test('a channel whose secret was encrypted with a key that was lost says so', async () => {
  chat = await OpenChat.create(instance);
  const { client, orgId } = chat.user;
  const slack = { kind: 'slack', name: 'Slack', credentials: { token: 'xoxb-of-the-tests' } };
  const integration = await client.post<{ id: string }>('/api/integrations', slack);
  const [agent] = (await client.get<{ id: string }[]>('/api/agents')).json;
  const fields = { name: 'Slack', kind: 'slack', agent_id: agent?.id, integration_id: integration.json.id };
  const { json } = await client.post<{ id: string }>('/api/channels', { ...fields, secret: 'a signing secret' });
  const sealed = lost.seal('a signing secret', `channels/${orgId}/${json.id}/secret`);
  await instance.api.database.system.query('update channels set secret = $2 where id = $1', [json.id, sealed]);
  const event = slackEvent({ text: 'Hi' });
  const { status } = await sendAsSlack(instance.api.url, json.id, event, { secret: 'a signing secret' });
  expect(status).toBe(503);
  const shown = await client.get(`/api/channels/${json.id}`);
  expect(shown.json).toMatchObject({ error: expect.stringContaining('cannot be decrypted') });
});

test('a destination whose secret was encrypted with a key that was lost says so when it is tested', async () => {
  chat = await OpenChat.create(instance);
  const { client, orgId } = chat.user;
  const { json } = await client.post<{ id: string }>('/api/destinations', {
    name: 'Archive',
    kind: 'webhook',
    config: { url: `${instance.model.url}/reports` },
    secret: 'a secret that is long enough',
  });
  const sealed = lost.seal('a secret that is long enough', `webhook-targets/${orgId}/${json.id}/secret`);
  await instance.api.database.system.query('update webhook_targets set secret = $2 where destination_id = $1', [
    json.id,
    sealed,
  ]);
  const tested = await client.post(`/api/destinations/${json.id}/test`);
  const error = expect.stringContaining('does not have the key');
  expect([tested.status, tested.json]).toEqual([200, expect.objectContaining({ ok: false, error })]);
});

test('an account whose key was lost is shown as disabled with the reason, ends the turns that have no other, and works again with the key', async () => {
  chat = await OpenChat.create(instance, { provider: { name: 'First' } });
  await loseKeyOf('First');
  const { event, answer } = await send('hello');
  expect(event).toBe('error');
  expect(answer?.metadata_).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('does not have the key'),
  });
  const shown = await account('First');
  expect(shown).toMatchObject({
    status: 'disabled',
    disabled_reason: expect.stringContaining('does not have the key'),
  });
  const tried = await chat.user.client.post(`/api/providers/${shown?.id ?? ''}/test`);
  expect(tried.json).toMatchObject({ ok: false, error: expect.stringContaining('First cannot be called') });

  await createProvider(chat.user.client, instance.model.url, { name: 'Second' });
  await loseKeyOf('Second', lostForEver);
  await instance.killWorkers();
  const worker = await instance.addWorker({ SECRET_KEY: `${TEST_SECRET_KEY},${LOST_KEY}` });
  await waitUntil(
    'the worker to say which keys are lost',
    // Other files may have left some in the database.
    () => /"provider accounts":[1-9]/.test(worker.log()) || undefined,
  );
  const api = await instance.addApi({ secretKeys: [TEST_SECRET_KEY, LOST_KEY] });
  expect(await account('First', new ApiClient(api.url, chat.user.accessToken))).toMatchObject({
    status: 'active',
    disabled_reason: null,
  });
  expect((await send('again')).answer).toMatchObject({ content: 'You said: again', provider_used: 'First' });
});
