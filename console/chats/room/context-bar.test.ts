import { expect, test } from '@jest/globals';
import { messageAt } from '../../../test/support/console/sample-message.ts';
import { contextUseOf } from './context-bar.tsx';

const answerOf = (index: number, tokens: number | null, window: number | null, excluded = false) =>
  messageAt(index, { excluded, metadata_: { context_tokens: tokens, context_window: window } });

test('the newest answer that counts and says so is what the context is full of', () => {
  const messages = [
    messageAt(0),
    answerOf(1, 41_000, 100_000),
    messageAt(2),
    answerOf(3, null, 100_000),
    messageAt(4),
    answerOf(5, 90_000, 100_000, true),
    messageAt(6),
  ];
  expect(contextUseOf(messages)).toEqual({ tokens: 41_000, window: 100_000, percent: 41 });
});

test('more than the window is all of it, and answers that say nothing are no guess', () => {
  expect(contextUseOf([answerOf(1, 300, 200)])?.percent).toBe(100);
  expect(contextUseOf([messageAt(0), messageAt(1), answerOf(3, 500, null)])).toBe(undefined);
});
