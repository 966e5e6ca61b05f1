import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import PostalMime from 'postal-mime';
import { runShort } from '../../workflows/short/client.ts';
import { ApiClient } from '../support/api-client.ts';
import { createAgent, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { historiesOf } from '../support/histories-of.ts';
import { MailServer } from '../support/mail-server.ts';
import { OutsideServer } from '../support/outside-server.ts';
import { registerGrouped } from '../support/people.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

type Fields = Record<string, unknown>;

let instance: TestInstance;
let smtp: MailServer;
let outside: OutsideServer;

beforeAll(async () => {
  [instance, smtp, outside] = await Promise.all([startTestInstance(), MailServer.start(), OutsideServer.start()]);
});
afterAll(async () => {
  outside.close();
  await smtp.close();
  await instance.close();
});

async function addMailDestination({ client }: TestUser, to: readonly string[]): Promise<Fields> {
  const settings = { from: 'Agents <agents@example.org>', tls: 'off' };
  const server = { kind: 'smtp', name: 'Mail', base_url: `smtp://127.0.0.1:${smtp.port}`, settings };
  const { json: integration } = await client.post<Fields>('/api/integrations', server);
  const fields = { kind: 'email', name: 'Sales', integration_id: integration['id'], config: { to } };
  return (await client.post<Fields>('/api/destinations', fields)).json;
}

test('a test message names the recipients that the server refuses, beside those that it accepts', async () => {
  const user = await registerUser(instance.api.url);
  const { id } = await addMailDestination(user, ['nobody@example.com', 'ada@example.com']);
  const { json } = await user.client.post<Fields>(`/api/destinations/${String(id)}/test`);
  expect(json).toMatchObject({ ok: true, error: 'The server accepts no mail for nobody@example.com' });
  expect(smtp.mails.splice(0)).toMatchObject([{ to: ['ada@example.com'] }]);
});

test('a report of a schedule is mailed once, after a failure too, and a test message at once', async () => {
  const user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  const agent_id = await createAgent(user.client);
  const destination = await addMailDestination(user, ['Ada <ada@example.com>']);
  const path = `/api/destinations/${String(destination['id'])}`;
  expect((await user.client.post<Fields>(`${path}/test`)).json).toMatchObject({ ok: true, error: null });
  expect((await user.client.get<Fields>(path)).json).toMatchObject({ checked_at: expect.any(String), error: null });
  expect(smtp.mails).toHaveLength(1);

  smtp.refusals = 1;
  const deliveries = [{ destination_id: destination['id'], subject: 'The {{name}}' }];
  const schedule = { name: 'Report', agent_id, cron_expr: '@yearly', prompt: '[[say rose]]', deliveries };
  const { json: added } = await user.client.post<Fields>('/api/schedules', schedule);
  const { json: run } = await user.client.post<Fields>(`/api/schedules/${String(added['id'])}/trigger`);
  const ended = await waitUntil('the report to be delivered', async () => {
    const { json } = await user.client.get<{ status: string; deliveries: Fields[] }>(
      `/api/schedules/runs/${String(run['run_id'])}`,
    );
    return json.deliveries.some(({ status }) => status === 'delivered') ? json : undefined;
  });
  expect(ended).toMatchObject({ status: 'completed', deliveries: [{ destination_name: 'Sales', attempts: 2 }] });
  expect(smtp.mails).toHaveLength(2);
  const mail = await PostalMime.parse(smtp.mails[1]?.mail ?? '');
  expect(mail).toMatchObject({ subject: 'The Report', text: expect.stringContaining('rose') });
  const histories = await historiesOf(instance.temporalAddress, user.orgId, '"ok":true');
  expect(histories).not.toContain('ada@example.com');
});

test('a file that an agent has written is downloaded by the link in the report', async () => {
  const user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  const agent_id = await createAgent(user.client, { tools: ['file_write'] });
  const config = { url: `${outside.url}/hook` };
  const hook = { kind: 'webhook', name: 'Hook', config };
  const { json: destination } = await user.client.post<Fields>('/api/destinations', hook);
  const content = 'Sales rose. '.repeat(5_000);
  const prompt = `[[tool file_write ${JSON.stringify({ path: 'out/sales.txt', content })}]] [[then]] [[say written]]`;
  const deliveries = [{ destination_id: destination['id'], files: ['out/*'] }];
  const schedule = { name: 'Report', agent_id, cron_expr: '@yearly', prompt, deliveries };
  const { json: added } = await user.client.post<Fields>('/api/schedules', schedule);
  await user.client.post(`/api/schedules/${String(added['id'])}/trigger`);
  const { body } = await waitUntil('the report', () => outside.seen[0]);
  const { report } = JSON.parse(body) as { report: { files: { name: string; bytes: number; url: string }[] } };
  expect(report.files).toMatchObject([{ name: 'sales.txt', bytes: content.length }]);
  const { pathname } = new URL(report.files[0]?.url ?? '');
  const { status, bytes } = await new ApiClient(instance.api.url).download(pathname);
  expect([status, bytes.toString()]).toEqual([200, content]);
});

test('a test message is not sent on behalf of somebody who has lost the right to meanwhile', async () => {
  const user = await registerUser(instance.api.url);
  const { member } = await registerGrouped(instance.api, user, ['integrations.view']);
  const hook = { kind: 'webhook', name: 'Hook', config: { url: 'https://hooks.example.invalid' } };
  const { json: destination } = await user.client.post<{ id: string }>('/api/destinations', hook);
  const connection = await Connection.connect({ address: instance.temporalAddress });
  try {
    const input = { orgId: user.orgId, destinationId: destination.id, userId: member.id };
    await expect(runShort(new Client({ connection }), 'testDestination', input)).rejects.toThrow();
    const { json } = await user.client.get<Fields>(`/api/destinations/${destination.id}`);
    expect(json['checked_at']).toBeNull();
    expect((await runShort(new Client({ connection }), 'testDestination', { ...input, userId: user.id })).ok).toBe(
      false,
    );
  } finally {
    await connection.close();
  }
});
