import { describe, expect, test } from '@jest/globals';
import type { GuardedResponse } from '../core/network/guarded-http.ts';
import { judgeAnswer } from './judge-answer.ts';

const SECRETS = { token: 'a-secret-token' };
const github = { kind: 'github', testRequest: null } as const;

function answer(status: number, body = ''): GuardedResponse {
  return {
    status,
    headers: new Map(),
    body: Buffer.from(body),
    finalUrl: 'https://api.github.com/user',
    redirects: 0,
    isTruncated: false,
  };
}

describe('a code host', () => {
  test('works when it names the account', () => {
    expect(judgeAnswer(github, answer(200, '{"login":"octocat"}'), SECRETS)).toEqual({
      error: null,
      account: 'octocat',
    });
    const gitlab = { kind: 'gitlab', testRequest: null } as const;
    expect(judgeAnswer(gitlab, answer(200, '{"username":"tanuki"}'), SECRETS).account).toBe('tanuki');
  });

  test.each([
    ['that holds the secret', '{"login":"I am a-secret-token"}'],
    ['with a line end', '{"login":"a\\nb"}'],
    ['that PostgreSQL cannot store', '{"login":"a\\u0000b"}'],
    ['that is endless', JSON.stringify({ login: 'x'.repeat(201) })],
  ])('works, and an account %s is not kept', (_what, body) => {
    expect(judgeAnswer(github, answer(200, body), SECRETS)).toEqual({ error: null, account: undefined });
  });

  test.each([
    [200, '<html>Sign in, a-secret-token</html>', "The answer is not GitHub's"],
    [200, '{"message":"hello"}', "The answer is not GitHub's"],
    [200, '['.repeat(1_000), "The answer is not GitHub's"],
    [200, '{"login":7}', "The answer is not GitHub's"],
    [301, '', 'redirects to another one (status 301)'],
    [401, 'a-secret-token is wrong', 'GitHub has rejected the credentials'],
    [403, '', 'does not let these credentials'],
    [404, '', 'nothing at the address'],
    [418, '', 'status 418'],
    [429, '', 'asks to wait before the next request'],
    [502, 'a-secret-token', 'GitHub had an internal error (status 502)'],
  ])('does not work when it answers %i %s, in words without any of it', (status, body, words) => {
    const { error, account } = judgeAnswer(github, answer(status, body), SECRETS);
    expect(error).toContain(words);
    expect(error).not.toContain('a-secret-token');
    expect(account).toBeUndefined();
  });
});

test('a server of metrics is one that answers the query of the test as its API has it', () => {
  const prometheus = { kind: 'prometheus', testRequest: null } as const;
  const body = { status: 'success', data: { resultType: 'vector', result: [] } };
  expect(judgeAnswer(prometheus, answer(200, JSON.stringify(body)), {})).toEqual({ error: null });
  expect(judgeAnswer(prometheus, answer(200, '<html>Sign in</html>'), {}).error).toBe(
    "The answer is not Prometheus's; check the base_url",
  );
});

describe('another service', () => {
  test('is reached when no request says how it is tested, whatever it answers to nobody', () => {
    const http = { kind: 'http', testRequest: null } as const;
    expect([200, 302, 401, 404].map((status) => judgeAnswer(http, answer(status), SECRETS).error)).toEqual(
      Array.from({ length: 4 }, () => null),
    );
    expect(judgeAnswer(http, answer(503), SECRETS).error).toContain('The service had an internal error');
  });

  test('works when it answers the request of the test', () => {
    const http = { kind: 'http', testRequest: { path: '/me' } } as const;
    expect(judgeAnswer(http, answer(204), SECRETS)).toEqual({ error: null });
    expect(judgeAnswer(http, answer(401), SECRETS).error).toContain('The service has rejected the credentials');
  });
});
