import { expect, test } from '@jest/globals';
import { problemOf } from './problem.ts';

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

test('a 422 names its fields, the first error of each', async () => {
  const detail = [
    { type: 'a', loc: ['body', 'email'], msg: 'is missing' },
    { type: 'b', loc: ['body', 'email'], msg: 'is odd' },
    { type: 'c', loc: ['body', 'soul', 'tone'], msg: 'is long' },
  ];
  const problem = await problemOf(answer(422, { detail }));
  expect(problem.fields).toEqual({ email: 'is missing', 'soul.tone': 'is long' });
  expect(problem.message).toBe('email: is missing');
});

test('an id in an address that cannot be one is not found', async () => {
  const detail = [{ type: 'invalid_format', loc: ['path', 'provider_id'], msg: 'must be a UUID' }];
  const problem = await problemOf(answer(422, { detail }));
  expect([problem.status, problem.message, problem.fields]).toEqual([404, 'Nothing has this address', {}]);
});

test('a filter that cannot be is told with its reason, without the name that the api has for it', async () => {
  const detail = [{ type: 'too_big', loc: ['query', 'q'], msg: 'must have at most 200 characters' }];
  const problem = await problemOf(answer(422, { detail }));
  const message = 'A search or a filter of this page is not valid: must have at most 200 characters';
  expect([problem.message, problem.fields]).toEqual([message, {}]);
});

test.each([
  ['providers.manage', '“Providers and chains: view and change”'],
  ['chats.view_shared', '“See the shared conversations of other members”'],
  ['pilots.manage', 'pilots.manage'],
])('the permission %s is called %s', async (key, name) => {
  const problem = await problemOf(answer(403, { detail: `Your role does not include the permission ${key}` }));
  expect(problem.message).toBe(`Your role does not include the permission ${name}`);
});

test('a 429 says when to come back, and passes', async () => {
  const problem = await problemOf(answer(429, { detail: 'Too many' }, { 'retry-after': '7' }));
  expect([problem.message, problem.retryAfterSeconds, problem.isPassing]).toEqual(['Too many', 7, true]);
});

test.each(['<html>Bad gateway</html>', '', 'null'])(
  'a body that is no problem is none of a reason: %j',
  async (body) => {
    expect((await problemOf(answer(502, body))).message).toBe('HTTP 502');
  },
);
