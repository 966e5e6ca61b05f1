import { WORKFLOWS_OF_WORK } from '../../../workflows/due-work/contract.ts';
import { sendAsSlack, slackEvent } from '../../support/fake-slack.ts';
import { json } from '../../support/outside-server.ts';
import { type Recorder, type Recording, startTalk } from './recorder.ts';

/** Handles a message of a channel whose service fails first. */
export async function recordChannels({ instance, receiver }: Recorder): Promise<Recording[]> {
  const { user, socket } = await startTalk(instance);
  socket.close();
  const agents = await user.client.get<{ id: string }[]>('/api/agents');
  const slack = {
    kind: 'slack',
    name: 'Slack',
    base_url: `${receiver.url}/api`,
    credentials: { token: 'xoxb-a-token' },
  };
  const { json: integration } = await user.client.post<{ id: string }>('/api/integrations', slack);
  const secret = 'a signing secret';
  const fields = { name: 'Slack', kind: 'slack', secret, matches_email: true };
  const ids = { agent_id: agents.json[0]?.id, integration_id: integration.id };
  const { json: channel } = await user.client.post<{ id: string }>('/api/channels', { ...fields, ...ids });
  const replies = [json({ ok: false, error: 'missing_scope' }), json({ ok: false, error: 'user_not_found' })];
  receiver.reply = (response, request) => (replies.shift() ?? json({ ok: true, ts: '1.1' }))(response, request);
  await sendAsSlack(instance.api.url, channel.id, slackEvent({ text: 'Hello' }), { secret });
  const workflowId = WORKFLOWS_OF_WORK.channel.idOf({ orgId: user.orgId, channelId: channel.id });
  return [{ name: 'read-channel', workflowId }];
}
