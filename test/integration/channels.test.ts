import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAgent, createProvider, registerUser } from '../support/factories.ts';
import { FakeSlack, sendAsSlack, slackEvent, TEAM, tooManyRequests } from '../support/fake-slack.ts';
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

test('a mention in Slack is answered in its thread once, though Slack repeats it and fails', async () => {
  const user = await registerUser(instance.api.url);
  await createProvider(user.client, instance.model.url);
  const agent_id = await createAgent(user.client);
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
  slack.faults.set('users.info', [tooManyRequests]);
  slack.faults.set('chat.update', [tooManyRequests]);
  const event = slackEvent({ text: '<@UBOT> [[say the stars]]', ts: '17.01' });
  for (const status of ['accepted', 'repeated', 'repeated'])
    expect((await sendAsSlack(instance.api.url, channel.id, event, { secret: SECRET })).json).toEqual({ status });
  await waitUntil('the answer', async () => (slack.shown.includes('the stars') ? true : undefined));
  expect(slack.messages).toEqual([
    expect.objectContaining({ channel: 'C1', thread: '17.01', texts: ['…', 'the stars'] }),
  ]);
  const chats = await user.client.get<{ id: string }[]>('/api/chats');
  expect(chats.json).toHaveLength(1);
  const messages = await user.client.get<unknown[]>(`/api/chats/${chats.json[0]?.id}/messages`);
  expect(messages.json).toHaveLength(2);
  const histories = await historiesOf(instance.temporalAddress, user.orgId, '"hasEnded":true');
  expect(histories).not.toContain('stars');
});
