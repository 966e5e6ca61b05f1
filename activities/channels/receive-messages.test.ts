import { describe, expect, test } from '@jest/globals';
import { sendAsSlack, slackEvent, TEAM } from '../../test/support/fake-slack.ts';
import { json } from '../../test/support/outside-server.ts';
import { registerColleague } from '../../test/support/people.ts';
import { ENDED, SECRET, serveSlackChannel } from '../../test/support/slack-channel.ts';

const served = serveSlackChannel();
const { answer, chatsOf, introduce, query, questionsIn, receive, statuses, waitNoLonger, write } = served;

type Fields = Record<string, unknown>;

describe('a mention', () => {
  test('begins a chat of the sender, and the answer is written over the message that was posted for it in the thread', async () => {
    await write('<@UBOT> How are *sales*?');
    const [chat, ...more] = await chatsOf();
    expect([chat, more]).toEqual([expect.objectContaining({ title: 'How are *sales*?', origin: 'person' }), []]);
    expect(served.slack.messages).toEqual([{ channel: 'C1', ts: '1700000000.000001', thread: '17.01', texts: ['…'] }]);
    expect(await answer(chat?.id ?? '', 'They **rose** by 5 <%>.')).toEqual(ENDED);
    expect(served.slack.messages[0]?.texts).toEqual(['…', 'They *rose* by 5 &lt;%&gt;.']);
    expect(served.slack.messages).toHaveLength(1);
    expect(await statuses()).toEqual(['accepted']);
  });

  test('in the same thread continues the same chat, and in another one begins another', async () => {
    await write('<@UBOT> first');
    await write('<@UBOT> second', { ts: '17.02', thread_ts: '17.01' });
    await write('<@UBOT> elsewhere', { ts: '18.01' });
    const chats = await chatsOf();
    expect(chats.map(({ title }) => title).toSorted()).toEqual(['elsewhere', 'first']);
    const first = chats.find(({ title }) => title === 'first')?.id ?? '';
    expect((await questionsIn(first)).toSorted()).toEqual(['first', 'second']);
  });

  test('of another member in the thread is in a chat of their own, with their rights', async () => {
    const colleague = await registerColleague(served.api, served.user, 'member');
    introduce('U2', colleague.email.toUpperCase());
    await write('<@UBOT> mine');
    await write('<@UBOT> theirs', { user: 'U2', ts: '17.02', thread_ts: '17.01' });
    expect((await chatsOf()).map(({ title }) => title)).toEqual(['mine']);
    expect((await chatsOf(colleague)).map(({ title }) => title)).toEqual(['theirs']);
  });

  test('whose chat was deleted begins another one', async () => {
    await write('<@UBOT> first');
    const [chat] = await chatsOf();
    await served.user.client.delete(`/api/chats/${chat?.id}`);
    await write('<@UBOT> second', { ts: '17.02', thread_ts: '17.01' });
    expect((await chatsOf()).map(({ title }) => title)).toEqual(['second']);
  });

  test('is one message, however often it is handled', async () => {
    await write('<@UBOT> once');
    await query("update channel_events set status = 'pending', message = $2 where channel_id = $1", [
      served.channelId,
      JSON.stringify({ channel: 'C1', thread: '17.01', sender: 'U1', team: TEAM, text: 'once' }),
    ]);
    expect(await receive()).toEqual(ENDED);
    const [chat] = await chatsOf();
    expect(await questionsIn(chat?.id ?? '')).toEqual(['once']);
    expect(served.slack.shown).toEqual(['…']);
  });
});

describe('a direct message', () => {
  const direct = { type: 'message', channel_type: 'im', channel: 'D1' };

  test('continues in one chat, and is answered outside of threads', async () => {
    await write('first', { ...direct, ts: '17.01' });
    await write('second', { ...direct, ts: '17.02' });
    const chats = await chatsOf();
    expect(chats).toHaveLength(1);
    await answer(chats[0]?.id ?? '', 'One.');
    await answer(chats[0]?.id ?? '', 'Two.');
    expect(served.slack.shown).toEqual(['One.', 'Two.']);
    expect(served.slack.messages.map(({ thread }) => thread)).toEqual([undefined, undefined]);
  });

  test('that says stop stops the answer, which says so', async () => {
    await write('Count the stars.', direct);
    await write('Stop.', direct);
    const [chat] = await chatsOf();
    const [turn] = await query<Fields>('select interrupt_requested_at from turns where chat_id = $1', [chat?.id]);
    expect(turn?.['interrupt_requested_at']).not.toBeNull();
    await answer(chat?.id ?? '', 'One, two', { status: 'interrupted' });
    expect(served.slack.shown).toEqual(['One, two\n\nStopped.']);
    await write('stop', direct);
    expect(served.slack.shown.at(-1)).toBe('There is no answer to stop.');
    expect(await statuses()).toEqual(['accepted', 'stopped', 'stopped']);
  });
});

describe('a stop', () => {
  const direct = { type: 'message', channel_type: 'im', channel: 'D1' };
  const ask = async (text: string, event: Fields = {}) =>
    sendAsSlack(served.url, served.channelId, slackEvent({ text, ...direct, ...event }), { secret: SECRET });
  /** Has all that waits wait for longer, as after an attempt that has failed. */
  const putOff = async () =>
    query(`update channel_events set tries = 1, next_attempt_at = now() + interval '1 hour'
      where channel_id = $1 and status = 'pending'`);

  test('is handled before what waits, of which that of its sender in its thread does not begin', async () => {
    introduce('U2', 'somebody@example.com');
    await ask('mine');
    await ask('in another thread', { thread_ts: '17.01' });
    await ask('of somebody else', { user: 'U2' });
    await putOff();
    await ask('stop');
    expect((await receive()).waitMs).toBeGreaterThan(0);
    expect(await statuses()).toEqual(['stopped', 'pending', 'pending', 'stopped']);
    expect(served.slack.shown).toEqual(['Stopped.']);
    await ask('what comes after it');
    await waitNoLonger();
    expect(await receive()).toEqual(ENDED);
    expect((await chatsOf()).map(({ title }) => title).toSorted()).toEqual([
      'in another thread',
      'what comes after it',
    ]);
  });

  test('is handled in its order while another one of its sender is to be handled first', async () => {
    await ask('of somebody else', { user: 'U2' });
    await putOff();
    for (let asked = 0; asked < 3; asked += 1) await ask('stop');
    expect((await receive()).waitMs).toBeGreaterThan(0);
    expect(await statuses()).toEqual(['pending', 'stopped', 'pending', 'pending']);
  });

  test('says so in the message that was to become an answer', async () => {
    await ask('mine');
    await query("update channel_events set reply_begun = true, reply = '1700000000.000001' where channel_id = $1");
    await putOff();
    served.slack.messages.push({ channel: 'D1', ts: '1700000000.000001', thread: undefined, texts: ['…'] });
    await ask('stop');
    expect(await receive()).toEqual(ENDED);
    expect(served.slack.shown).toEqual(['Stopped.']);
  });

  test('stops the answers that have not begun, too', async () => {
    for (const text of ['first', 'second', 'stop', 'third']) await write(text, direct);
    const turns = await query<Fields>(
      'select interrupt_requested_at is not null as "isStopped" from turns where org_id = $1 order by seq',
      [served.user.orgId],
    );
    expect(turns).toEqual([{ isStopped: true }, { isStopped: true }, { isStopped: false }]);
    const [chat] = await chatsOf();
    for (let ended = 0; ended < 2; ended += 1) await answer(chat?.id ?? '', '', { status: 'interrupted' });
    expect(served.slack.shown).toEqual(['Stopped.', 'Stopped.', '…']);
  });

  test('is tried again while Slack does not say who has sent it, also behind what has failed', async () => {
    const refused = json({ ok: false, error: 'missing_scope', needed: 'users:read' });
    served.slack.faults.set('users.info', [refused, refused]);
    await ask('mine');
    expect((await receive()).waitMs).toBeGreaterThan(0);
    await ask('stop');
    expect((await receive()).waitMs).toBeGreaterThan(0);
    expect(await statuses()).toEqual(['pending', 'pending']);
    await waitNoLonger();
    expect(await receive()).toEqual(ENDED);
    expect(await statuses()).toEqual(['stopped', 'stopped']);
  });
});
