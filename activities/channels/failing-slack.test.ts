import { describe, expect, test } from '@jest/globals';
import { sendAsSlack, slackEvent, tooManyRequests } from '../../test/support/fake-slack.ts';
import { json, type Reply } from '../../test/support/outside-server.ts';
import { ENDED, SECRET, serveSlackChannel } from '../../test/support/slack-channel.ts';

const served = serveSlackChannel();
const { answer, chatsOf, query, receive, shown, statuses, waitNoLonger, write } = served;
const UNIDENTIFIED = expect.stringContaining('does not tell me who you are');
const broken: Reply = (response) => void response.writeHead(500).end('oops');

type Fields = Record<string, unknown>;

describe('a channel', () => {
  test('rests once its integration was changed, until that is set again', async () => {
    const path = `/api/channels/${served.channelId}`;
    await served.user.client.patch(`/api/integrations/${served.integrationId}`, {
      credentials: { token: 'xoxb-another' },
    });
    await write('<@UBOT> Hi');
    expect(served.slack.messages).toEqual([]);
    expect((await shown())['error']).toMatch(/integration was changed/);
    expect(
      (await served.user.client.patch<Fields>(path, { integration_id: served.integrationId })).json['error'],
    ).toBeNull();
    await write('<@UBOT> Hi');
    expect(served.slack.shown).toEqual(['…']);
  });

  test('answers in words while Slack does not say who has written, and keeps nobody waiting for long', async () => {
    const refused = json({ ok: false, error: 'missing_scope', needed: 'users:read' });
    served.slack.faults.set(
      'users.info',
      Array.from({ length: 4 }, () => refused),
    );
    for (const text of ['<@UBOT> first', '<@UBOT> second', '<@UBOT> third'])
      await sendAsSlack(served.url, served.channelId, slackEvent({ text, ts: '17.01' }), { secret: SECRET });
    for (let attempt = 1; attempt < 3; attempt += 1) {
      expect(await receive()).toMatchObject({ hasEnded: false });
      await waitNoLonger();
    }
    expect(await receive()).toEqual(ENDED);
    expect(await statuses()).toEqual(['failed', 'failed', 'accepted']);
    expect(served.slack.shown).toEqual([UNIDENTIFIED, UNIDENTIFIED, '…']);
    expect((await shown())['error']).toBeNull();
  });

  test('answers in words where Slack asks to wait for long', async () => {
    served.slack.faults.set('users.info', [
      (response) => void response.writeHead(429, { 'retry-after': '3600' }).end('{"ok":false}'),
    ]);
    await write('<@UBOT> Hi');
    expect(served.slack.shown).toEqual([UNIDENTIFIED]);
    expect((await shown())['error']).toMatch(/\w/);
  });

  test('handles nothing twice or out of order while Slack fails, and gives a message up after some attempts', async () => {
    const busy: Reply = (response) => void response.writeHead(429, { 'retry-after': '60' }).end('{"ok":false}');
    const refused = json({ ok: false, error: 'missing_scope', needed: 'users:read' });
    served.slack.faults.set('users.info', [busy, ...Array.from({ length: 5 }, () => refused)]);
    served.slack.faults.set(
      'chat.postMessage',
      Array.from({ length: 4 }, () => broken),
    );
    for (const text of ['<@UBOT> first', '<@UBOT> second'])
      await sendAsSlack(served.url, served.channelId, slackEvent({ text, ts: '17.01' }), { secret: SECRET });
    for (let attempt = 1; attempt < 6; attempt += 1) {
      const { hasEnded, waitMs } = await receive();
      expect([attempt, hasEnded, waitMs >= (attempt === 1 ? 50_000 : 1)]).toEqual([attempt, false, true]);
      await waitNoLonger();
    }
    expect(await statuses()).toEqual(['pending', 'pending']);
    expect((await shown())['error']).toMatch(/users:read/);
    expect(await receive()).toEqual(ENDED);
    expect(await statuses()).toEqual(['failed', 'accepted']);
    expect((await shown())['error']).toBeNull();
  });

  test('counts a connection that Slack closes as an attempt, and says so', async () => {
    const cut: Reply = (response) => void response.destroy();
    served.slack.faults.set(
      'users.info',
      Array.from({ length: 9 }, () => cut),
    );
    await sendAsSlack(served.url, served.channelId, slackEvent({ text: '<@UBOT> Hi', ts: '17.01' }), {
      secret: SECRET,
    });
    expect(await receive()).toMatchObject({ hasEnded: false });
    expect(await query('select tries from channel_events where channel_id = $1')).toEqual([{ tries: 1 }]);
    expect((await shown())['error']).toMatch(/closed the connection/);
    served.slack.faults.clear();
    await waitNoLonger();
    expect(await receive()).toEqual(ENDED);
    expect(await statuses()).toEqual(['accepted']);
  });

  test('counts an attempt that Slack answers with characters that cannot be stored', async () => {
    const unstorable = json({ ok: false, error: 'no\u0000\uD800' });
    served.slack.faults.set('users.info', [unstorable]);
    await sendAsSlack(served.url, served.channelId, slackEvent({ text: '<@UBOT> Hi', ts: '17.01' }), {
      secret: SECRET,
    });
    expect(await receive()).toMatchObject({ hasEnded: false });
    expect((await shown())['error']).toContain('Slack answers: no');
    await waitNoLonger();
    expect(await receive()).toEqual(ENDED);
    served.slack.faults.set('chat.update', [unstorable]);
    const [chat] = await chatsOf();
    expect(await answer(chat?.id ?? '', 'Hello.')).toMatchObject({ hasEnded: false });
    expect((await shown())['error']).toContain('Slack answers: no');
  });

  test('refuses a stranger also where the notice cannot be posted', async () => {
    served.slack.faults.set('chat.postMessage', [json({ ok: false, error: 'is_archived' })]);
    await write('<@UBOT> Hi', { user: 'U-unknown' });
    expect(await statuses()).toEqual(['refused']);
  });

  test('answers in a message of its own where Slack did not take the first one', async () => {
    served.slack.faults.set('chat.postMessage', [tooManyRequests]);
    await write('<@UBOT> Hi');
    expect(served.slack.messages).toEqual([]);
    const [chat] = await chatsOf();
    await answer(chat?.id ?? '', 'Hello.');
    expect(served.slack.messages).toEqual([expect.objectContaining({ thread: '17.01', texts: ['Hello.'] })]);
  });
});
