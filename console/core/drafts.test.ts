import { afterEach, expect, test } from '@jest/globals';
import { drafts } from './drafts.ts';

afterEach(() => localStorage.clear());

test('a draft is kept until it is sent or empty', () => {
  drafts.write('chat-1', 'half a thought');
  drafts.write('chat-2', 'another');
  expect([drafts.read('chat-1'), drafts.read('chat-2'), drafts.read('chat-3')]).toEqual([
    'half a thought',
    'another',
    '',
  ]);
  drafts.write('chat-1', '');
  expect(Object.keys(localStorage)).toEqual(['everturn.draft.chat-2']);
});

test('drafts are removed at signing out, and nothing else', () => {
  localStorage.setItem('everturn.theme', 'dark');
  drafts.write('chat-1', 'secret plans');
  drafts.clear();
  expect(Object.keys(localStorage)).toEqual(['everturn.theme']);
});
