import { beforeEach, describe, expect, test } from '@jest/globals';
import { claimEdit, endEdit, findEditedReply } from '../../db/channels/edits.ts';
import { TurnPublisher } from '../../db/stream/turn-publisher.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { requestInterrupt } from '../../db/turns/request-interrupt.ts';
import { behindRow } from '../../test/support/behind-row.ts';
import { json } from '../../test/support/outside-server.ts';
import { ENDED, serveSlackChannel } from '../../test/support/slack-channel.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { editReply } from './stream-answer.ts';

const served = serveSlackChannel();
const { answer, chatsOf, depsOf, query, shown, write } = served;

type Turn = Awaited<ReturnType<typeof begin>>;

/** Has somebody ask in a thread, and their turn begin. */
async function begin(thread = '17.01') {
  await write(`<@UBOT> ${thread}`, { ts: thread });
  const { orgId } = served.user;
  const chatId = (await chatsOf()).find(({ title }) => title === thread)?.id ?? '';
  const claimed = await claimTurn(served.api.database, { orgId, chatId });
  if (claimed === undefined) throw new Error('no turn is open');
  const publisher = new TurnPublisher(served.api.database, () => undefined);
  const { id: turnId, seq, afterSeq, attempt, step, isOfThread } = claimed;
  const stream = publisher.open({ orgId, chatId, id: turnId, seq, afterSeq, attempt, step, baseLength: 0 });
  const say = async (text: string) => {
    stream.append(text);
    await publisher.drain();
  };
  return { orgId, chatId, turnId, isOfThread, say };
}

const replyTo = async (turn: Turn) => {
  const reply = await findEditedReply(served.api.database, turn);
  if (reply === undefined) throw new Error('no message becomes the answer');
  return reply;
};

const editAs = async (turn: Turn, reply: Parameters<typeof editReply>[2]) =>
  editReply(await depsOf(), turn, reply, new AbortController().signal);

/** Edits the reply as it would be at first. */
const edit = async (turn: Turn) => editAs(turn, await replyTo(turn));

const waitNoLonger = async () => query('update channels set next_edit_at = now() where id = $1');

const EVENTS = 'select edits, edit_until from channel_events where channel_id = $1 order by id';

let turn: Turn;
beforeEach(async () => {
  turn = await begin();
});

describe('an answer that is being written', () => {
  test('is shown as far as it has come, and mentions nobody', async () => {
    expect([turn.isOfThread, await edit(turn)]).toEqual([true, await replyTo(turn)]);
    await turn.say('**Hi** <!channel>');
    const once = await edit(turn);
    expect(once).toMatchObject({ edits: 1, shown: '**Hi** <!channel>' });
    await waitNoLonger();
    // Nothing has come since.
    expect(await editAs(turn, once ?? (await replyTo(turn)))).toEqual(once);
    await turn.say(' & all');
    await edit(turn);
    await answer(turn.chatId, 'Hi all.');
    const texts = ['…', '*Hi* &lt;!channel&gt;\n\n…', '*Hi* &lt;!channel&gt; &amp; all\n\n…', 'Hi all.'];
    expect(served.slack.messages).toEqual([expect.objectContaining({ texts })]);
    expect(await query(EVENTS)).toEqual([{ edits: 2, edit_until: null }]);
  });

  test('of a hundred thousand characters is cut, with the address of the chat, and shown no further', async () => {
    await turn.say('long '.repeat(20_000));
    expect(await edit(turn)).toBeUndefined();
    expect(served.slack.shown[0]).toMatch(/\[…\]/);
    expect(served.slack.shown[0]).toContain(`/chats/${turn.chatId}`);
  });

  test('leaves out an edit while its channel has just had one', async () => {
    const other = await begin('18.01');
    await Promise.all([turn.say('One'), other.say('Two')]);
    await edit(turn);
    expect(await edit(other)).toMatchObject({ edits: 0 });
    await waitNoLonger();
    expect(await edit(other)).toMatchObject({ edits: 1 });
    expect(served.slack.shown).toEqual(['One\n\n…', 'Two\n\n…']);
  });

  test('is not edited for as long as Slack asks, and delivered nevertheless', async () => {
    await turn.say('One');
    served.slack.faults.set('chat.update', [
      (response) => void response.writeHead(429, { 'retry-after': '3600' }).end('{"ok":false}'),
    ]);
    expect(await edit(turn)).toMatchObject({ edits: 1 });
    expect(await edit(turn)).toMatchObject({ edits: 1 });
    const [rest] = await query<{ minutes: number }>(
      'select (extract(epoch from next_edit_at - now()) / 60)::float8 as minutes from channels where id = $1',
    );
    expect(rest?.minutes).toBeGreaterThan(55);
    expect(await answer(turn.chatId, 'One and all.')).toEqual(ENDED);
    expect(served.slack.messages[0]?.texts).toEqual(['…', 'One and all.']);
    expect(served.slack.callsOf('chat.update')).toBe(2);
  });

  test.each(['message_not_found', 'token_revoked'])('is edited no more once Slack says %s', async (error) => {
    await turn.say('One');
    served.slack.faults.set('chat.update', [json({ ok: false, error }), json({ ok: false, error })]);
    await expect(edit(turn)).rejects.toThrow(error);
    expect((await shown())['error']).toBeNull();
    await answer(turn.chatId, 'One and all.');
    // A message that is gone is replaced; without a token nothing is posted.
    expect(served.slack.shown).toEqual(error === 'message_not_found' ? ['…', 'One and all.'] : ['…']);
  });

  test('is not edited by an integration that was changed since it was asked', async () => {
    await turn.say('One');
    await served.user.client.patch(`/api/integrations/${served.integrationId}`, {
      credentials: { token: 'xoxb-another' },
    });
    expect(await edit(turn)).toBeUndefined();
    expect(served.slack.shown).toEqual(['…']);
  });
});

describe('an edit', () => {
  test('that is under way when the turn ends does not replace the answer', async () => {
    const { database } = served.api;
    const reply = await replyTo(turn);
    const editLate = async () => {
      const edits = (await claimEdit(database, turn, reply)) ?? 0;
      await waitUntil('the answer', () => served.slack.shown[0] === 'Done.' || undefined);
      served.slack.messages[0]?.texts.push('Do');
      await endEdit(database, turn.orgId, { ...reply, edits });
      return edits;
    };
    // The claim has seen the turn running, and waits for its channel: the turn does not end before it is stored.
    const row = { table: 'channels', id: served.channelId } as const;
    expect(await behindRow(database, row, [editLate, async () => answer(turn.chatId, 'Done.')])).toEqual([1, ENDED]);
    expect(served.slack.messages[0]?.texts).toEqual(['…', 'Done.', 'Do', 'Done.']);
  });

  test('whose worker was killed delays no answer, which is written again in case it was under way', async () => {
    await claimEdit(served.api.database, turn, await replyTo(turn));
    await query("update channel_events set edit_until = now() + interval '1 second' where channel_id = $1");
    expect(await answer(turn.chatId, 'Done.')).toEqual(ENDED);
    expect(served.slack.messages[0]?.texts).toEqual(['…', 'Done.', 'Done.']);
  });

  test('is one at a time, and ends for itself alone', async () => {
    const { database } = served.api;
    const reply = await replyTo(turn);
    expect(await claimEdit(database, turn, reply)).toBe(1);
    await waitNoLonger();
    expect(await claimEdit(database, turn, reply)).toBeUndefined();
    await query("update channel_events set edit_until = now() - interval '1 second' where channel_id = $1");
    await waitNoLonger();
    expect(await claimEdit(database, turn, reply)).toBe(2);
    await endEdit(database, turn.orgId, { ...reply, edits: 1 });
    expect(await query(EVENTS)).toEqual([{ edits: 2, edit_until: expect.any(Date) }]);
  });

  test('is not begun once the turn is to stop, its chat was deleted, or it has ended', async () => {
    const { database } = served.api;
    const [stopped, deleted, ended] = [turn, await begin('18.01'), await begin('19.01')];
    const reply = await replyTo(ended);
    await requestInterrupt(database, { orgId: stopped.orgId, userId: served.user.id }, stopped.chatId);
    await query('update chats set deleted_at = now() where id = $1', [deleted.chatId]);
    await answer(ended.chatId, 'Done.');
    for (const each of [stopped, deleted]) expect(await claimEdit(database, each, await replyTo(each))).toBeUndefined();
    expect(await claimEdit(database, ended, reply)).toBeUndefined();
  });
});
