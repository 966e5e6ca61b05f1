import { WORKFLOWS_OF_WORK } from '../../../workflows/due-work/contract.ts';
import { json, type OutsideServer } from '../../support/outside-server.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Recorder, type Recording, say, startTalk } from './recorder.ts';

/** The delivery of a webhook, which fails, fails again after a wait, and is asked for in the next one. */
export async function deliverWebhooks(instance: TestInstance, receiver: OutsideServer): Promise<string> {
  const talk = await startTalk(instance);
  const { user, socket } = talk;
  const chats = await user.client.get<{ id: string }[]>('/api/chats');
  const chatId = chats.json[0]?.id ?? '';
  const path = `/api/chats/${chatId}/webhook`;
  await user.client.patch(path, { url: receiver.url });
  const failures = async (count: number) =>
    waitUntil('a failure to be noted', async () => {
      const { json } = await user.client.get<{ id: string; attempts: number; next_attempt_at: string }[]>(
        `${path}/deliveries`,
      );
      const [only] = json;
      // oxlint-disable-next-line everturn/no-asserted-time -- a date that is still to come
      return only?.attempts === count && Date.parse(only.next_attempt_at) > Date.now() ? only.id : undefined;
    });
  receiver.reply = json({}, 503);
  say(talk, 'hello');
  await failures(1);
  receiver.reply = (response) => void response.writeHead(503, { 'retry-after': '3600' }).end();
  const id = await failures(2);
  receiver.reply = json({});
  await user.client.post(`${path}/deliveries/${id}/redeliver`);
  socket.close();
  const { rows } = await instance.api.database.system.query<{ targetId: string }>(
    'select id as "targetId" from webhook_targets where chat_id = $1',
    [chatId],
  );
  return WORKFLOWS_OF_WORK.webhook.idOf({ orgId: user.orgId, targetId: rows[0]?.targetId ?? '' });
}

export async function recordWebhooks({ instance, receiver }: Recorder): Promise<Recording[]> {
  return [{ name: 'deliver-webhooks', workflowId: await deliverWebhooks(instance, receiver) }];
}
