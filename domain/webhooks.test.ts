import { expect, test } from '@jest/globals';
import {
  MAX_SENT_CHARACTERS,
  type MessageSubject,
  payloadOf,
  type RunSubject,
  waitAfterFailure,
  WAITS_MS,
} from './webhooks.ts';

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
  finishReason: 'done',
  usage: { input_tokens: 3, output_tokens: 2 },
  createdAt: at,
  workspaceChatId: 'c',
  task: null,
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

test('the end of a turn is reported with its chat and its message', () => {
  expect(JSON.parse(payloadOf('d', message))).toMatchObject({
    id: 'd',
    type: 'message.created',
    created_at: '2026-12-30T10:00:00.000Z',
    chat: { id: 'c', title: 'Report', project_id: null },
    message: {
      id: 'm',
      turn_id: 't',
      role: 'assistant',
      status: 'completed',
      content: 'Sales rose.',
      error: null,
      finish_reason: 'done',
    },
  });
});

test('the end of the work on a task is reported with the task', () => {
  const task = { id: 'k', title: 'Collect the figures' };
  const sent = { type: 'task.ended', task, message: { content: 'Sales rose.' } };
  expect(JSON.parse(payloadOf('d', { ...message, task }))).toMatchObject(sent);
});

test('the end of a run is reported with its workflow, its result and why it failed', () => {
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

const HOUR = 3_600_000;
const fresh = { age: 0, isRejected: false, retryAfter: undefined, chance: 0 };

test('the waits grow, and all of them with the most jitter lie within three days', () => {
  const waits = WAITS_MS.map((_, index) => waitAfterFailure({ ...fresh, tries: index + 1, chance: 1 }) ?? 0);
  expect(waits).toEqual(waits.toSorted((one, other) => one - other));
  const total = waits.reduce((sum, wait) => sum + wait, 0);
  expect(total).toBeGreaterThan(60 * HOUR);
  expect(total).toBeLessThan(72 * HOUR);
});

test('chance adds up to a tenth of a wait', () => {
  expect(waitAfterFailure({ ...fresh, tries: 1 })).toBe(5_000);
  expect(waitAfterFailure({ ...fresh, tries: 1, chance: 1 })).toBe(5_500);
});

test('a receiver that asks for a longer wait gets it, and none gets a shorter one', () => {
  expect(waitAfterFailure({ ...fresh, tries: 1, retryAfter: 90_000 })).toBe(90_000);
  expect(waitAfterFailure({ ...fresh, tries: 3, retryAfter: 1_000 })).toBe(120_000);
});

test('a delivery is abandoned after its last attempt, or at the first failure after three days', () => {
  expect(waitAfterFailure({ ...fresh, tries: WAITS_MS.length + 1 })).toBeUndefined();
  expect(waitAfterFailure({ ...fresh, tries: 1, age: 72 * HOUR })).toBeUndefined();
  expect(waitAfterFailure({ ...fresh, tries: 1, age: 71 * HOUR })).toBe(5_000);
});

test('what the receiver rejects is abandoned after six attempts, which lie within an hour', () => {
  const waits = [1, 2, 3, 4, 5, 6].map((tries) => waitAfterFailure({ ...fresh, isRejected: true, tries, chance: 1 }));
  expect(waits.at(-1)).toBeUndefined();
  expect(waits.reduce<number>((sum, wait = 0) => sum + wait, 0)).toBeLessThan(HOUR);
});
