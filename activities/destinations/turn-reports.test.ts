import { beforeEach, describe, expect, test } from '@jest/globals';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { finishTurn, type TurnOutcome } from '../../db/turns/steps/finish-turn.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../../test/support/factories.ts';
import { registerColleague } from '../../test/support/people.ts';
import { serveReportReceiver } from '../../test/support/report-receiver.ts';
import { serveTestApi } from '../../test/support/serve-test-api.ts';
import { PLAIN_END } from '../../test/support/plain-end.ts';

type Fields = Record<string, unknown>;

interface TurnDeliveries {
  readonly deliveries: Fields[];
  readonly reports: (Fields & { readonly id: string })[];
}

const served = serveTestApi({ privateHosts: '127.0.0.1:*' });
const receiver = serveReportReceiver(served);
let user: TestUser;
let agentId: string;
let chatId: string;
beforeEach(async () => {
  user = await registerUser(served.url);
  agentId = await createAgent(user.client);
  chatId = await createChat(user.client, agentId);
});

const addDestination = async () => receiver.addDestination(user);
const deliver = async (destinationId: string) => receiver.deliver(user, destinationId);
const set = async (path: string, deliveries: readonly Fields[], by = user) =>
  by.client.send<TurnDeliveries>('PUT', `${path}/deliveries`, { deliveries });
const shown = async (path: string) => (await user.client.get<TurnDeliveries>(`${path}/deliveries`)).json;
const undelivered = async () => (await user.client.get<Fields[]>('/api/runs/undelivered')).json;
const chatPath = () => `/api/chats/${chatId}`;
const link = (path: string) => `https://everturn.example.com/o/${user.orgId}/${path}`;

/** Ends the open turn of a chat. */
async function end(id: string, fields: Partial<TurnOutcome> = {}): Promise<void> {
  const turn = await claimTurn(served.api.database, { orgId: user.orgId, chatId: id });
  if (turn === undefined) throw new Error('no turn is open');
  const { status = 'completed', metadata = {} } = fields;
  await finishTurn(served.api.database, {
    orgId: user.orgId,
    chatId: id,
    turnId: turn.id,
    attempt: turn.attempt,
    step: turn.step,
    agentId,
    content: 'Sales rose.',
    ...PLAIN_END,
    ...fields,
    status,
    metadata: { status, ...metadata },
  });
}

/** Has a turn of the chat answered. */
async function answer(fields: Partial<TurnOutcome> = {}): Promise<void> {
  const { orgId, id: userId } = user;
  await acceptMessage(served.api.database, { orgId, userId }, { chatId, content: 'Go.', clientMessageId: undefined });
  await end(chatId, fields);
}

describe('the end of a turn of a chat', () => {
  test('is reported once to each of its destinations, in order', async () => {
    const [always, failure] = [await addDestination(), await addDestination()];
    const report = { destination_id: always, subject: '{{name}}', body: '{{status}}: {{output}}{{error}} {{link}}' };
    const answered = await set(chatPath(), [report, { destination_id: failure, when: 'failure' }]);
    expect([answered.status, answered.json]).toMatchObject([200, { deliveries: [report, {}], reports: [] }]);
    await answer();
    await answer({ status: 'failed', content: '', metadata: { error: 'The model was away.' } });
    await deliver(always);
    await deliver(failure);
    const page = link(`chats/${chatId}`);
    const { title } = (await user.client.get<{ title: string }>(chatPath())).json;
    expect(receiver.bodies()).toMatchObject([
      { type: 'message.created', report: { subject: title, body: `completed: Sales rose. ${page}` } },
      { type: 'message.created', report: { subject: title, body: `failed: The model was away. ${page}` } },
      { report: { subject: `${title}: failed`, body: 'The model was away.' } },
    ]);
    const delivered = { status: 'delivered', attempts: 1 };
    expect((await shown(chatPath())).reports).toMatchObject([
      { destination_id: always, ...delivered },
      { destination_id: always, ...delivered },
      { destination_id: failure, ...delivered },
    ]);
  });

  test('is reported no more once that was taken away, nor when the chat was deleted', async () => {
    const destination = await addDestination();
    await set(chatPath(), [{ destination_id: destination }]);
    await set(chatPath(), []);
    await answer();
    await set(chatPath(), [{ destination_id: destination }]);
    await acceptMessage(
      served.api.database,
      { orgId: user.orgId, userId: user.id },
      { chatId, content: 'Go.', clientMessageId: undefined },
    );
    await user.client.delete(chatPath());
    await end(chatId, { status: 'interrupted' });
    await deliver(destination);
    expect(receiver.bodies()).toEqual([]);
  });

  test('is not sent when the chat is deleted while the report waits, neither now nor to a second destination', async () => {
    const [first, second] = [await addDestination(), await addDestination()];
    await set(chatPath(), [{ destination_id: first }, { destination_id: second, when: 'undelivered' }]);
    await answer();
    await user.client.delete(chatPath());
    await deliver(first);
    await deliver(second);
    expect(receiver.server.seen).toEqual([]);
    expect(await undelivered()).toEqual([]);
    await user.client.patch(`${chatPath()}/restore`);
    const [lost] = (await shown(chatPath())).reports;
    expect(lost).toMatchObject({ status: 'failed', error: expect.stringContaining('chat was deleted') });
    expect((await user.client.post(`${chatPath()}/deliveries/${lost?.id}/resend`)).status).toBe(202);
    await deliver(first);
    expect(receiver.reports()).toMatchObject([{ body: 'Sales rose.' }]);
  });

  test('that could not be reported is in the list of the owner, reported to the second destination and sent again', async () => {
    const [gone, second] = [await addDestination(), await addDestination()];
    await set(chatPath(), [{ destination_id: gone }, { destination_id: second, when: 'undelivered' }]);
    await answer();
    receiver.server.reply = (response) => void response.writeHead(410).end();
    await deliver(gone);
    expect(await undelivered()).toMatchObject([{ chat_id: chatId, run_id: null, task_id: null, status: 'failed' }]);
    receiver.server.reply = (response) => void response.end();
    receiver.server.seen.length = 0;
    await deliver(second);
    expect(receiver.reports()).toMatchObject([
      { body: expect.stringMatching(/^Not delivered to .*410\n\nSales rose\.$/) },
    ]);
    const [lost] = (await shown(chatPath())).reports;
    const resent = await user.client.post(`${chatPath()}/deliveries/${lost?.id}/resend`);
    expect([resent.status, resent.json]).toMatchObject([202, { id: lost?.id, status: 'pending' }]);
    await deliver(gone);
    expect((await shown(chatPath())).reports).toMatchObject([{ status: 'delivered', attempts: 2 }, {}]);
    expect(await undelivered()).toEqual([]);
  });

  test('is reported by the owner of the chat alone', async () => {
    const destination = await addDestination();
    const colleague = await registerColleague(served.api, user, 'member');
    expect((await set(chatPath(), [{ destination_id: destination }], colleague)).status).toBe(404);
    expect((await colleague.client.get(`${chatPath()}/deliveries`)).status).toBe(404);
    expect((await set(chatPath(), [{ destination_id: destination, when: 'missed' }])).status).toBe(422);
    const twice = [{ destination_id: destination }, { destination_id: destination, when: 'success' }];
    expect((await set(chatPath(), twice)).status).toBe(422);
  });

  test('keeps a destination from being deleted, whose refusal names no chat', async () => {
    const destination = await addDestination();
    await set(chatPath(), [{ destination_id: destination }]);
    const { status, json } = await user.client.delete(`/api/destinations/${destination}`);
    expect([status, json]).toMatchObject([409, { detail: expect.stringContaining('named by 1 chat.') }]);
    expect((await user.client.delete(`/api/destinations/${destination}?force=true`)).status).toBe(204);
    expect((await shown(chatPath())).deliveries).toEqual([]);
    await answer();
  });
});

describe('the end of the work on a task', () => {
  const add = async (deliveries: readonly Fields[], by = user) =>
    by.client.post<{ id: string; sub_chat_id: string | null }>('/api/tasks', {
      chat_id: chatId,
      title: 'Collect the figures',
      assigned_agent_id: agentId,
      deliveries,
    });

  test('is reported, and the turn that posts it in its chat is not', async () => {
    const destination = await addDestination();
    const { status, json: task } = await add([{ destination_id: destination }]);
    expect([status, task]).toMatchObject([201, { sub_chat_id: expect.any(String) }]);
    await end(task.sub_chat_id ?? '', { isAttempt: true });
    await end(chatId);
    await deliver(destination);
    expect(receiver.bodies()).toMatchObject([
      {
        type: 'task.ended',
        task: { id: task.id, title: 'Collect the figures' },
        report: { subject: 'Collect the figures: completed', body: 'Sales rose.' },
      },
    ]);
    const path = `/api/tasks/${task.id}`;
    expect(await shown(path)).toMatchObject({
      deliveries: [{ destination_id: destination, when: 'always' }],
      reports: [{ destination_id: destination, status: 'delivered' }],
    });
  });

  test('is not sent when its chat is deleted while the report waits', async () => {
    const destination = await addDestination();
    const { json: task } = await add([{ destination_id: destination }]);
    await end(task.sub_chat_id ?? '', { isAttempt: true });
    await user.client.delete(chatPath());
    await deliver(destination);
    expect(receiver.server.seen).toEqual([]);
  });

  test('is reported for each attempt, by what is set when it ends', async () => {
    const destination = await addDestination();
    const { json: task } = await add([]);
    const path = `/api/tasks/${task.id}`;
    expect(
      (await set(path, [{ destination_id: destination, when: 'failure', body: '{{error}} {{link}}' }])).status,
    ).toBe(200);
    await end(task.sub_chat_id ?? '', { isAttempt: true, status: 'failed', metadata: { error: 'It was away.' } });
    await user.client.post(`${path}/retry`);
    await end(task.sub_chat_id ?? '', { isAttempt: true });
    await deliver(destination);
    expect(receiver.reports()).toMatchObject([{ body: `It was away. ${link(`tasks/${task.id}`)}` }]);
    const [sent] = (await shown(path)).reports;
    expect((await user.client.post(`${path}/deliveries/${sent?.id}/resend`)).status).toBe(202);
    expect((await user.client.post(`${chatPath()}/deliveries/${sent?.id}/resend`)).status).toBe(404);
  });

  test('is not added with a destination of another organization', async () => {
    const stranger = await registerUser(served.url);
    const theirs = await receiver.addDestination(stranger);
    expect((await add([{ destination_id: theirs }])).status).toBe(404);
    expect((await user.client.get('/api/tasks')).json).toEqual([]);
  });
});
