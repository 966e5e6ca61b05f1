import { afterEach, expect, test } from '@jest/globals';
import { clearDrafts, draftsOf } from './drafts.ts';

afterEach(() => localStorage.clear());

test('a draft is kept until it is sent or empty', () => {
  const drafts = draftsOf('ada');
  drafts.write('chat-1', 'half a thought');
  drafts.write('chat-2', 'another');
  expect(['chat-1', 'chat-2', 'chat-3'].map((key) => drafts.read(key))).toEqual(['half a thought', 'another', '']);
  drafts.write('chat-1', '');
  expect(Object.keys(localStorage)).toEqual(['everturn.draft.ada.chat-2']);
});

test('drafts of one user are not those of another', () => {
  draftsOf('ada').write('chat-1', 'secret plans');
  draftsOf('ada').write('outbox.chat-1.b', '{}');
  draftsOf('ada').write('outbox.chat-1.a', '{}');
  expect([draftsOf('bob').read('chat-1'), draftsOf('bob').keys('')]).toEqual(['', []]);
  expect(draftsOf('ada').keys('outbox.chat-1.')).toEqual(['outbox.chat-1.a', 'outbox.chat-1.b']);
});

test('drafts are removed at signing out, and nothing else', () => {
  localStorage.setItem('everturn.theme', 'dark');
  draftsOf('ada').write('chat-1', 'secret plans');
  clearDrafts();
  expect(Object.keys(localStorage)).toEqual(['everturn.theme']);
});
