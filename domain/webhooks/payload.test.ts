import { expect, test } from '@jest/globals';
import { MAX_SENT_CHARACTERS, type MessageSubject, payloadOf, type RunSubject } from './payload.ts';

const at = new Date('2026-12-30T10:00:00Z');
const message: MessageSubject = {
  kind: 'message',
  id: 'm',
  chatId: 'c',
  chatTitle: 'Report',
  projectId: null,
  turnId: 't',
  agentId: 'a',
  content: 'Sales rose.',
  status: 'completed',
  error: null,
  usage: { input_tokens: 3, output_tokens: 2 },
  createdAt: at,
};
const run: RunSubject = {
  kind: 'run',
  id: 'r',
  workflowId: 'w',
  workflowName: 'Triage',
  scheduleId: null,
  scheduleName: null,
  chatId: 'c',
  status: 'failed',
  triggeredBy: 'webhook',
  output: null,
  error: 'The answer failed.',
  usage: { input_tokens: 3, output_tokens: 2 },
  startedAt: at,
  completedAt: at,
  createdAt: at,
};

test('the end of a turn is told with its chat and its message', () => {
  expect(JSON.parse(payloadOf('d', message))).toMatchObject({
    id: 'd',
    type: 'message.created',
    created_at: '2026-12-30T10:00:00.000Z',
    chat: { id: 'c', title: 'Report', project_id: null },
    message: { id: 'm', turn_id: 't', role: 'assistant', status: 'completed', content: 'Sales rose.', error: null },
  });
});

test('the end of a run is told with its workflow, what came out of it and why it failed', () => {
  expect(JSON.parse(payloadOf('d', run))).toMatchObject({
    id: 'd',
    type: 'run.ended',
    workflow: { id: 'w', name: 'Triage' },
    schedule: null,
    run: {
      id: 'r',
      chat_id: 'c',
      status: 'failed',
      output: null,
      output_truncated: false,
      error: 'The answer failed.',
    },
  });
});

test('a long text is cut between characters, and says so', () => {
  const long = JSON.parse(payloadOf('d', { ...message, content: '😀'.repeat(MAX_SENT_CHARACTERS + 1) }));
  expect(long.message).toMatchObject({ content: '😀'.repeat(MAX_SENT_CHARACTERS), content_truncated: true });
  const whole = JSON.parse(payloadOf('d', { ...message, content: '😀'.repeat(MAX_SENT_CHARACTERS) }));
  expect(whole.message.content_truncated).toBe(false);
});
