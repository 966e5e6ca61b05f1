import { expect, test } from '@jest/globals';
import { Problem } from '../core/http/problem.ts';
import { intervalAfter } from './queries.ts';

test.each([
  [null, 5_000],
  [new Problem(0, 'no network'), 5_000],
  [new Problem(503, 'restarting'), 5_000],
  [new Problem(429, 'Too many', { retryAfterSeconds: 20 }), 20_000],
  [new Problem(401, 'Sign in'), false],
  [new Problem(403, 'Not yours'), false],
  [new Problem(404, 'Gone'), false],
])('a query that was answered with %s is asked again after %s', (error, ms) => {
  expect(intervalAfter(error, 5_000)).toBe(ms);
});
