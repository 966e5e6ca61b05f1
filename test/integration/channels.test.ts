import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAgent, createProvider, registerUser } from '../support/factories.ts';
import {
  buttonsOf,
  FakeSlack,
  sendAsSlack,
  slackEvent,
  slackInteraction,
  TEAM,
  tooManyRequests,
} from '../support/fake-slack.ts';
import { historiesOf } from '../support/histories-of.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

const SECRET = 'the signing secret of the app';

let instance: TestInstance;
let slack: FakeSlack;

beforeAll(async () => {
  [instance, slack] = await Promise.all([startTestInstance(), FakeSlack.start()]);
});
afterAll(async () => {
  slack.close();
  await instance.close();
});

/** Adds a channel in which an agent answers a user. */
async function open(agent: Record<string, unknown> = {}) {
  slack.clear();
  const user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  const agent_id = await createAgent(user.client, agent);
  const integration = {
    kind: 'slack',
    name: 'Slack',
    base_url: slack.url,
    credentials: { token: 'xoxb-of-the-tests' },
  };
  const { json: added } = await user.client.post<{ id: string }>('/api/integrations', integration);
  const fields = {
    name: 'Slack',
    kind: 'slack',
    agent_id,
    integration_id: added.id,
    secret: SECRET,
    matches_email: true,
  };
  const { json: channel } = await user.client.post<{ id: string }>('/api/channels', fields);
  slack.users.set('U1', { id: 'U1', team_id: TEAM, is_email_confirmed: true, profile: { email: user.email } });
  return { user, channel };
}

test('a mention in Slack is answered in its thread once, though Slack repeats it and fails', async () => {
  const { user, channel } = await open();
  slack.faults.set('users.info', [tooManyRequests]);
  slack.faults.set('chat.update', [tooManyRequests]);
  const event = slackEvent({ text: '<@UBOT> [[say the stars]]', ts: '17.01' });
  for (const status of ['accepted', 'repeated', 'repeated'])
    expect((await sendAsSlack(instance.api.url, channel.id, event, { secret: SECRET })).json).toEqual({ status });
  await waitUntil('the answer', async () => (slack.shown.includes('the stars') ? true : undefined));
  expect(slack.messages).toEqual([expect.objectContaining({ channel: 'C1', thread: '17.01' })]);
  expect([slack.messages[0]?.texts[0], slack.shown]).toEqual(['…', ['the stars']]);
  const chats = await user.client.get<{ id: string }[]>('/api/chats');
  expect(chats.json).toHaveLength(1);
  const messages = await user.client.get<unknown[]>(`/api/chats/${chats.json[0]?.id}/messages`);
  expect(messages.json).toHaveLength(2);
  const histories = await historiesOf(instance.temporalAddress, user.orgId, '"hasEnded":true');
  expect(histories).not.toContain('stars');
});

test('an answer is shown in its thread while it is written', async () => {
  const { channel } = await open();
  const event = slackEvent({ text: '<@UBOT> [[hold thread after 2 chunks]]', ts: '17.01' });
  await sendAsSlack(instance.api.url, channel.id, event, { secret: SECRET });
  await waitUntil('a part of the answer', async () => (slack.shown[0]?.startsWith('w1') === true ? true : undefined));
  expect(slack.shown[0]).toMatch(/^w1[^]*\n\n…$/);
  instance.model.release('thread');
  await waitUntil('the answer', async () => (slack.shown[0]?.endsWith('…') === false ? true : undefined));
  expect(slack.messages).toHaveLength(1);
});

test('a question of an agent waits in the thread of its chat, and the agent goes on once it is answered by a button', async () => {
  const { user, channel } = await open({ tools: ['ask_person'] });
  const deadline = new Date(Date.now() + 86_400_000).toISOString();
  const question = { question: 'Which release?', options: ['4.1', '4.2'], default: '4.1', deadline };
  const text = `[[tool ask_person ${JSON.stringify(question)}]] [[then]] [[say done]]`;
  const event = slackEvent({
    type: 'message',
    channel_type: 'im',
    channel: 'D1',
    text,
    ts: '17.02',
    thread_ts: '17.01',
  });
  await sendAsSlack(instance.api.url, channel.id, event, { secret: SECRET });
  const asked = await waitUntil('the question', async () => slack.messages.find((each) => buttonsOf(each).has('4.2')));
  expect(asked).toMatchObject({ channel: 'D1', thread: '17.01' });
  const used = slackInteraction(asked, buttonsOf(asked).get('4.2'));
  const type = 'application/x-www-form-urlencoded';
  for (let delivered = 0; delivered < 2; delivered += 1) {
    const answer = await sendAsSlack(instance.api.url, channel.id, used, { secret: SECRET, type });
    expect(answer).toEqual({ status: 200, json: { status: 'accepted' } });
  }
  await waitUntil('the answer', async () => (slack.shown.includes('done') ? true : undefined));
  await waitUntil('what was decided', async () => (buttonsOf(asked).size === 0 ? true : undefined));
  expect(asked.texts.at(-1)).toContain('It was answered by');
  const { json: approvals } = await user.client.get('/api/approvals');
  expect(approvals).toMatchObject([{ status: 'answered', answer: '4.2', decided_by: user.id }]);
  const histories = await historiesOf(instance.temporalAddress, user.orgId, '"hasEnded":true');
  expect(histories).not.toContain('Which release');
});

test('a file goes to the agent with its message, and the one that the answer links to comes into the thread', async () => {
  const { user, channel } = await open({ tools: ['file_write'] });
  const path = '/files-pri/T1-F1/download/note.txt';
  slack.files.set(path, (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('Inside.'));
  const written = JSON.stringify({ path: 'out/sales.csv', content: 'a,b' });
  const event = slackEvent({
    text: `<@UBOT> [[tool file_write ${written}]] [[then]] [[say See [the table](out/sales.csv)]]`,
    ts: '18.01',
    files: [{ id: 'F1', name: 'note.txt', size: 7, url_private_download: `${slack.server.url}${path}` }],
  });
  await sendAsSlack(instance.api.url, channel.id, event, { secret: SECRET });
  await waitUntil('the file of the answer', async () => slack.shared[0]);
  const files = [{ name: 'sales.csv', content: 'a,b' }];
  expect(slack.shared).toEqual([{ channel: 'C1', thread: '18.01', text: undefined, files }]);
  const { json: chats } = await user.client.get<{ id: string }[]>('/api/chats');
  const { json: messages } = await user.client.get<{ file_ids: string[] }[]>(`/api/chats/${chats[0]?.id}/messages`);
  expect(messages[0]?.file_ids).toHaveLength(1);
  const requests = JSON.stringify(instance.model.requests);
  expect(requests).toContain('Inside.');
  expect(requests).toContain('is sent with it.');
});
