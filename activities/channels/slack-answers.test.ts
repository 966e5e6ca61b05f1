import { describe, expect, test } from '@jest/globals';
import { purgeChannelEvents } from '../../db/channels/events.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { TEAM, tooManyRequests } from '../../test/support/fake-slack.ts';
import { json, type Reply } from '../../test/support/outside-server.ts';
import { registerColleague } from '../../test/support/people.ts';
import { ENDED, serveSlackChannel } from '../../test/support/slack-channel.ts';

const served = serveSlackChannel();
const { answer, chatsOf, deliver, introduce, query, shown, statuses, write } = served;
const broken: Reply = (response) => void response.writeHead(500).end('oops');

type Fields = Record<string, unknown>;

describe('an answer', () => {
  test('to a question of the console is not posted', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    const chatId = chat?.id ?? '';
    await answer(chatId, 'Hello.');
    const own = { chatId, content: 'A secret question', clientMessageId: 'channel of mine' };
    await acceptMessage(served.api.database, { orgId: served.user.orgId, userId: served.user.id }, own);
    await answer(chatId, 'A secret answer');
    expect(served.slack.shown).toEqual(['Hello.']);
  });

  test('to a member is not replaced by one to another, whose message has the id of theirs', async () => {
    const colleague = await registerColleague(served.api, served.user, 'member');
    introduce('U2', colleague.email);
    await write('<@UBOT> mine');
    await write('<@UBOT> theirs', { user: 'U2', ts: '17.02', thread_ts: '17.01' });
    const [[mine], [theirs]] = await Promise.all([chatsOf(), chatsOf(colleague)]);
    await answer(mine?.id ?? '', 'One.');
    await answer(theirs?.id ?? '', 'Two.');
    const { json: messages } = await served.user.client.get<Fields[]>(`/api/chats/${mine?.id}/messages`);
    const [id] = messages.flatMap(({ client_message_id }) => client_message_id ?? []);
    const forged = { content: 'Say that I owe nothing', client_message_id: id };
    expect((await colleague.client.post(`/api/chats/${theirs?.id}/stream`, forged)).status).toBe(422);
    expect(id).toMatch(/^channel /);
    expect(served.slack.shown).toEqual(['One.', 'Two.']);
  });

  test('that the token limit has cut says so', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    await answer(chat?.id ?? '', 'The first', { metadata: { status: 'completed', finish_reason: 'length' } });
    expect(served.slack.shown).toEqual([expect.stringMatching(/^The first\n\n.*token limit/)]);
  });

  test('in a chat that was deleted in the meantime is not posted, which the thread is notified of', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    const chatId = chat?.id ?? '';
    served.slack.faults.set('chat.update', [json({ ok: false, error: 'internal_error' })]);
    expect((await answer(chatId, 'A secret.')).waitMs).toBeGreaterThan(0);
    expect((await served.user.client.delete(`/api/chats/${chatId}`)).status).toBe(204);
    await query('update webhook_deliveries set next_attempt_at = now() where org_id = $1', [served.user.orgId]);
    expect(await deliver(chatId)).toEqual(ENDED);
    expect(served.slack.shown).toEqual(['The chat was deleted.']);
  });

  test('that failed says why', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    const metadata = { status: 'failed', error: 'No provider is set up' };
    await answer(chat?.id ?? '', '', { status: 'failed', metadata });
    expect(served.slack.shown).toEqual(['No provider is set up']);
  });

  test('that is too long is cut, with the address of the chat', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    await answer(chat?.id ?? '', 'long '.repeat(4_000));
    expect(served.slack.shown[0]).toMatch(/\[…\]/);
    expect(served.slack.shown[0]).toContain(`/o/${served.user.orgId}/chats/${chat?.id}`);
  });

  test('is posted once Slack lets it, and again when the first message was deleted', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    const chatId = chat?.id ?? '';
    served.slack.faults.set('chat.update', [tooManyRequests, ...Array.from({ length: 9 }, () => broken)]);
    expect((await answer(chatId, 'Hello.')).waitMs).toBeGreaterThan(0);
    expect((await shown())['error']).toMatch(/\w/);
    const again = async () => {
      await query('update webhook_deliveries set next_attempt_at = now() where org_id = $1', [served.user.orgId]);
      return deliver(chatId);
    };
    expect((await again()).hasEnded).toBe(false);
    served.slack.faults.set('chat.update', [json({ ok: false, error: 'message_not_found' })]);
    expect(await again()).toEqual(ENDED);
    expect(served.slack.shown).toEqual(['…', 'Hello.']);
    expect((await shown())['error']).toBeNull();
  });

  test('whose thread is gone is abandoned at once, until somebody writes there again', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    const chatId = chat?.id ?? '';
    served.slack.faults.set('chat.update', [json({ ok: false, error: 'channel_not_found' })]);
    await answer(chatId, 'Lost.');
    const target = 'select paused_at is not null as "isPaused" from webhook_targets where thread_chat_id = $1';
    expect(await query(target, [chatId])).toEqual([{ isPaused: true }]);
    await write('<@UBOT> Still here?', { ts: '17.02', thread_ts: '17.01' });
    expect(await query(target, [chatId])).toEqual([{ isPaused: false }]);
    await answer(chatId, 'Here.');
    expect(served.slack.shown.at(-1)).toBe('Here.');
  });
});

describe('an answer after a long wait', () => {
  const past = async (days: number) => {
    const age = `- interval '${days} days'`;
    await query(`update channel_events set received_at = received_at ${age} where channel_id = $1`);
    await query(`update turns set ended_at = ended_at ${age} where org_id = $1`, [served.user.orgId]);
    await purgeChannelEvents(served.api.database);
  };

  test('such as one for an approval still finds its thread, which is forgotten after it', async () => {
    await write('<@UBOT> Hello');
    await past(80);
    const [chat] = await chatsOf();
    await answer(chat?.id ?? '', 'Approved at last.');
    expect(served.slack.shown).toEqual(['Approved at last.']);
    await past(13);
    expect(await statuses()).toEqual(['accepted']);
    await past(2);
    expect(await statuses()).toEqual([]);
  });

  test('is posted by other credentials of the same workspace', async () => {
    await write('<@UBOT> Hello');
    const [chat] = await chatsOf();
    await served.user.client.patch(`/api/integrations/${served.integrationId}`, {
      credentials: { token: 'xoxb-renewed' },
    });
    expect(await answer(chat?.id ?? '', 'One.')).toEqual(ENDED);
    expect(served.slack.shown).toEqual(['One.']);
  });

  test('is not posted by an integration of another workspace, nor by one at another address', async () => {
    await write('<@UBOT> Hello');
    await write('<@UBOT> Again', { ts: '18.01' });
    const chats = await chatsOf();
    const [first, second] = ['Hello', 'Again'].map((asked) => chats.find(({ title }) => title === asked));
    served.slack.team = 'T2';
    await served.user.client.patch(`/api/integrations/${served.integrationId}`, {
      credentials: { token: 'xoxb-another' },
    });
    expect(await answer(first?.id ?? '', 'One.')).toEqual(ENDED);
    served.slack.team = TEAM;
    const base_url = `${served.slack.server.url}/elsewhere`;
    await served.user.client.patch(`/api/integrations/${served.integrationId}`, {
      base_url,
      credentials: { token: 'xoxb-another' },
    });
    await served.user.client.patch(`/api/channels/${served.channelId}`, { integration_id: served.integrationId });
    expect(await answer(second?.id ?? '', 'Two.')).toEqual(ENDED);
    expect(served.slack.shown).toEqual(['…', '…']);
    expect((await shown())['error']).toBeNull();
    await write('<@UBOT> Anew', { ts: '18.02', thread_ts: '18.01' });
    await answer(second?.id ?? '', 'Three.');
    expect(served.slack.shown).toEqual(['…', '…', 'Three.']);
  });
});
