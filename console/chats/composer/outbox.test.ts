import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Problem } from '../../core/http/problem.ts';
import { Outbox, type OutgoingMessage } from './outbox.ts';

let kept: string;
let sent: OutgoingMessage[];
let answer: (message: OutgoingMessage) => Promise<void>;
let stored: number;
let outbox: Outbox;

function open(): Outbox {
  return new Outbox({
    send: async (message) => {
      sent.push(message);
      await answer(message);
    },
    onSent: () => (stored += 1),
    store: { read: () => kept, write: (text) => (kept = text) },
  });
}
beforeEach(() => {
  jest.useFakeTimers();
  [kept, sent, stored] = ['', [], 0];
  answer = async () => undefined;
  outbox = open();
});
afterEach(() => {
  outbox.close();
  jest.useRealTimers();
});

const pass = async (ms = 0) => jest.advanceTimersByTimeAsync(ms);
const states = () => outbox.messages().map(({ content, state }) => `${content}: ${state}`);

describe('messages on their way', () => {
  test('are sent one after the other, in their order', async () => {
    let release: () => void = () => undefined;
    answer = async () => new Promise((resolve) => (release = resolve));
    outbox.add('one');
    outbox.add('two');
    await pass();
    expect([sent.length, states()]).toEqual([1, ['one: sending', 'two: sending']]);
    release();
    await pass();
    expect([sent.length, states(), stored]).toEqual([2, ['one: sent', 'two: sending'], 1]);
    release();
    await pass();
    expect(states()).toEqual(['one: sent', 'two: sent']);
  });

  test('are sent again under the same id while it is not known whether they were stored', async () => {
    answer = async () => Promise.reject(new Problem(0, 'no network'));
    outbox.add('one');
    await pass(10_000);
    expect(sent.length).toBeGreaterThan(2);
    answer = async () => undefined;
    await pass(15_000);
    expect(states()).toEqual(['one: sent']);
    expect(new Set(sent.map(({ clientMessageId }) => clientMessageId)).size).toBe(1);
  });

  test('have failed after a minute, and are sent when somebody wants that', async () => {
    answer = async () => Promise.reject(new Problem(503, 'The server restarts'));
    outbox.add('one');
    await pass(90_000);
    expect(outbox.messages()).toMatchObject([{ state: 'failed', reason: 'The server restarts' }]);
    const tries = sent.length;
    await pass(90_000);
    expect(sent).toHaveLength(tries);
    answer = async () => undefined;
    outbox.retry(outbox.messages()[0]?.clientMessageId ?? '');
    await pass();
    expect(states()).toEqual(['one: sent']);
  });

  test('have failed at once when they are rejected, and those after them are sent', async () => {
    answer = async ({ content }) => {
      if (content === 'one') throw new Problem(403, 'Not yours');
    };
    outbox.add('one');
    outbox.add('two');
    await pass();
    expect(states()).toEqual(['one: failed', 'two: sent']);
    expect(outbox.messages()[0]?.reason).toBe('Not yours');
  });

  test('wait as long as the server asks', async () => {
    answer = async () => Promise.reject(new Problem(429, 'Too many', { retryAfterSeconds: 20 }));
    outbox.add('one');
    await pass(19_000);
    expect(sent).toHaveLength(1);
    await pass(1_000);
    expect(sent).toHaveLength(2);
  });

  test('are kept when the page is closed, until they are sent', async () => {
    answer = async () => Promise.reject(new Problem(0, 'no network'));
    outbox.add('one');
    await pass();
    outbox.close();
    answer = async () => undefined;
    outbox = open();
    await pass();
    expect([states(), kept]).toEqual([['one: sent'], '']);
    expect(new Set(sent.map(({ clientMessageId }) => clientMessageId)).size).toBe(1);
  });

  test('wait for the next sign-in when nobody is signed in', async () => {
    answer = async () => Promise.reject(new Problem(401, 'Sign in'));
    outbox.add('one');
    outbox.add('two');
    await pass(120_000);
    expect([sent.length, states()]).toEqual([1, ['one: sending', 'two: sending']]);
    answer = async () => undefined;
    outbox.resume();
    await pass();
    expect(states()).toEqual(['one: sent', 'two: sent']);
  });

  test('are sent when the refusal comes after the next sign-in', async () => {
    let refuse: () => void = () => undefined;
    answer = async () => new Promise((_, reject) => (refuse = () => reject(new Problem(401, 'Sign in'))));
    outbox.add('one');
    outbox.resume();
    answer = async () => undefined;
    refuse();
    await pass();
    expect([sent.length, states()]).toEqual([2, ['one: sent']]);
  });

  test('change nothing of what is kept once they are closed', async () => {
    let release: () => void = () => undefined;
    answer = async () => new Promise((resolve) => (release = resolve));
    outbox.add('one', ['file']);
    outbox.close();
    expect(outbox.add('two')).toBe(false);
    kept = 'of the next page';
    release();
    await pass();
    expect([kept, sent.length, stored]).toEqual(['of the next page', 1, 1]);
    expect(sent).toMatchObject([{ content: 'one', fileIds: ['file'] }]);
  });

  test('are forgotten when they are seen among those of the chat', async () => {
    outbox.add('one');
    await pass();
    outbox.remove(new Set(outbox.messages().map(({ clientMessageId }) => clientMessageId)));
    expect(outbox.messages()).toEqual([]);
  });

  test('are none when what was kept cannot be read', () => {
    kept = '{';
    expect(open().messages()).toEqual([]);
  });
});
