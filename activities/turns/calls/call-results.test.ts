import { expect, test } from '@jest/globals';
import { withDecision } from './call-results.ts';

test('withDecision says what a call was made with, without the likely secrets in it', () => {
  const call = { arguments: { url: 'https://a.example?token=tok-1&page=2', headers: { authorization: 'Bearer abc' } } };
  const decision = {
    status: 'approved',
    note: 'mind the page',
    isEdited: true,
    digest: null,
    answer: null,
    by: 'Ada',
  } as const;
  const { result } = withDecision({ status: 'success', result: 'done' }, call, decision);
  expect(result).toContain('{"url":"https://a.example?token=***&page=2","headers":{"authorization":"***"}}');
  expect(result).toMatch(/says: mind the page\]\n\ndone$/);
});
