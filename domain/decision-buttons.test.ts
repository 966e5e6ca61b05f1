import { describe, expect, test } from '@jest/globals';
import { buttonId, readSlackInteraction } from './decision-buttons.ts';

const TOKEN = 'AbC-_9';

const interaction = (action: object = {}, more: object = {}) => ({
  type: 'block_actions',
  team: { id: 'T1', domain: 'example' },
  user: { id: 'U1', username: 'ada', team_id: 'T1' },
  api_app_id: 'A1',
  container: { type: 'message', message_ts: '17.01', channel_id: 'D1', is_ephemeral: false },
  trigger_id: '1.2.3',
  response_url: 'https://hooks.slack.com/actions/T1/1/x',
  actions: [{ type: 'button', action_id: 'approve', block_id: 'b', value: TOKEN, action_ts: '17.02', ...action }],
  ...more,
});

describe('a button of Slack', () => {
  test('says what is wanted, by whom and of which message', () => {
    expect(readSlackInteraction(interaction())).toEqual({
      token: TOKEN,
      wanted: { kind: 'approve' },
      person: 'U1',
      team: 'T1',
      conversation: 'D1',
      message: '17.01',
      thread: null,
      id: 'U1 17.02',
    });
  });

  test.each([
    { kind: 'approve' },
    { kind: 'deny' },
    { kind: 'answer', option: 0 },
    { kind: 'answer', option: 19 },
  ] as const)('comes back as %j by its id', (wanted) => {
    expect(readSlackInteraction(interaction({ action_id: buttonId(wanted) }))?.wanted).toEqual(wanted);
  });

  test.each([
    ['leads elsewhere', interaction({ action_id: 'open', value: undefined })],
    ['has another value', interaction({ value: '{}' })],
    ['is of another app', interaction({ action_id: 'approve-all' })],
    ['is of a modal', interaction({}, { container: { type: 'view', view_id: 'V1' } })],
    ['is no button', { ...interaction(), type: 'view_submission' }],
    ['has no action', { ...interaction(), actions: [] }],
    ['is none', null],
  ])('is none that decides when it %s', (_why, payload) => {
    expect(readSlackInteraction(payload)).toBeUndefined();
  });

  test('has no workspace where Slack names none', () => {
    expect(readSlackInteraction(interaction({}, { team: null, user: { id: 'U1' } }))?.team).toBeNull();
  });
});
