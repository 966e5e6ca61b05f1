import { describe, expect, test } from '@jest/globals';
import { slackEvent } from '../test/support/fake-slack.ts';
import { asksToStop, readSlackEvent } from './channels.ts';

const messageOf = (event: Record<string, unknown>) => {
  const read = readSlackEvent(slackEvent(event));
  return read?.kind === 'message' ? read.message : undefined;
};

describe('readSlackEvent', () => {
  test('takes a mention as a message of its thread, without the mention itself', () => {
    expect(messageOf({ text: '<@UBOT> is 1 &lt; 2 &amp;amp; 3, <@U2>?', ts: '17.01' })).toEqual({
      channel: 'C1',
      thread: '17.01',
      sender: 'U1',
      team: 'T1',
      text: 'is 1 < 2 &amp; 3, <@U2>?',
    });
    expect(messageOf({ text: '<@UBOT> and?', ts: '17.02', thread_ts: '17.01' })).toMatchObject({ thread: '17.01' });
  });

  test('takes a direct message as part of one conversation, and a thread in it as another one', () => {
    const direct = { type: 'message', channel_type: 'im', channel: 'D1', text: 'Hello' };
    expect(messageOf(direct)).toMatchObject({ channel: 'D1', thread: null, text: 'Hello' });
    expect(messageOf({ ...direct, thread_ts: '17.01' })).toMatchObject({ channel: 'D1', thread: '17.01' });
  });

  test('takes files without words as a message, whatever Slack says of them', () => {
    const url = 'https://files.slack.com/files-pri/T1-F1/download/a.pdf';
    const files = [
      { id: 'F1', name: 'a\u0000.pdf', size: 3, url_private_download: url },
      { id: 'F2', size: -1, url_private_download: 'https://a\u0000' },
      {},
    ];
    const direct = { type: 'message', subtype: 'file_share', channel_type: 'im', channel: 'D1', text: '', files };
    const unknown = { name: '', url: null, bytes: null };
    expect(messageOf(direct)).toMatchObject({
      text: '',
      files: [{ name: 'a\uFFFD.pdf', url, bytes: 3 }, unknown, unknown],
    });
    expect(messageOf({ ...direct, text: 'Hi', files: 'none' })).not.toHaveProperty('files');
    expect(messageOf({ ...direct, files: Array.from({ length: 1_000 }, () => ({})) })?.files).toHaveLength(100);
  });

  test('replaces what cannot be stored', () => {
    expect(messageOf({ text: 'a\u0000b\uD800' })?.text).toBe('a\uFFFDb\uFFFD');
  });

  test.each([
    ['another bot', { bot_id: 'B1', text: 'Hi' }],
    ['the bot itself', { user: 'UBOT', text: 'Hi' }],
    ['a bot by its subtype', { type: 'message', channel_type: 'im', subtype: 'bot_message', text: 'Hi' }],
    ['a change of a message', { type: 'message', channel_type: 'im', subtype: 'message_changed', text: 'Hi' }],
    ['a message in a channel that mentions nobody', { type: 'message', channel_type: 'channel', text: 'Hi' }],
    ['a mention without words', { text: ' <@UBOT> ' }],
    ['a reaction', { type: 'reaction_added', text: 'Hi' }],
    ['nobody', { user: undefined, text: 'Hi' }],
    ['a channel of a strange form', { channel: '../C1', text: 'Hi' }],
  ])('ignores %s', (_what, event) => {
    expect(readSlackEvent(slackEvent(event))).toBeUndefined();
  });

  test.each([null, 'text', [], {}, { type: 'url_verification' }, { type: 'event_callback', event_id: 'Ev1' }])(
    'ignores %j',
    (payload) => {
      expect(readSlackEvent(payload)).toBeUndefined();
    },
  );
});

test.each([
  ['stop', true],
  ['STOP!', true],
  ['Stop.', true],
  ['stop it', false],
  ['do not stop', false],
])('asksToStop(%j) is %j', (text, stops) => {
  expect(asksToStop(text)).toBe(stops);
});
