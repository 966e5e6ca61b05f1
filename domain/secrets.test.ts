import { describe, expect, test } from '@jest/globals';
import { parseExactJson } from './core/exact-json.ts';
import { isSecretName, maskSecrets, unmaskSecrets } from './secrets.ts';

describe('isSecretName', () => {
  test.each([
    'Authorization',
    'proxy-authorization',
    'X-Api-Key',
    'api_key',
    'apiKey',
    'Cookie',
    'Set-Cookie',
    'PRIVATE-TOKEN',
    'token',
    'access_token',
    'password',
    'client_secret',
    'Ocp-Apim-Subscription-Key',
    'key',
    'X-Amz-Signature',
  ])('is true of %s', (name) => expect(isSecretName(name)).toBe(true));

  test.each(['Accept', 'content-type', 'max_tokens', 'total_tokens', 'author', 'Idempotency-Key', 'monkey', 'title'])(
    'is false of %s',
    (name) => expect(isSecretName(name)).toBe(false),
  );
});

test('maskSecrets masks what is likely to be a secret, at any depth, and nothing else', () => {
  const args = {
    url: 'https://user:pw@api.example.com/x?api_key=abc&page=2#token=def',
    headers: { Authorization: 'Bearer abcdefghijk', 'X-Api-Key': 'k', Accept: 'text/html' },
    list: [
      { name: 'Cookie', value: 'a=1' },
      { key: 'X-Token', value: 'v' },
      { name: 'Accept', value: '*/*' },
    ],
    body: {
      password: 'p',
      nested: [{ client_secret: { a: 1 } }],
      max_tokens: 5,
      text: 'use Bearer abcdefghijk',
      revoke_sessions: true,
    },
    token: null,
    idempotency_key: 'order-1',
  };
  expect(maskSecrets(args)).toEqual({
    url: 'https://***@api.example.com/x?api_key=***&page=2#token=def',
    headers: { Authorization: '***', 'X-Api-Key': '***', Accept: 'text/html' },
    list: [
      { name: 'Cookie', value: '***' },
      { key: 'X-Token', value: '***' },
      { name: 'Accept', value: '*/*' },
    ],
    body: {
      password: '***',
      nested: [{ client_secret: '***' }],
      max_tokens: 5,
      text: 'use Bearer ***',
      revoke_sessions: true,
    },
    token: null,
    idempotency_key: 'order-1',
  });
});

test('maskSecrets keeps numbers as they were written', () => {
  const text = '{"id":1234567890123456789,"list":[1.10]}';
  expect(JSON.stringify(maskSecrets(parseExactJson(text) as Readonly<Record<string, unknown>>))).toBe(text);
});

describe('unmaskSecrets', () => {
  const original = { url: 'https://a.example?page=1', headers: { authorization: 'Bearer 12345678' }, list: ['x'] };
  const shown = maskSecrets(original);

  test('puts back the secrets of arguments that are as they were displayed', () => {
    expect(unmaskSecrets(original, shown)).toEqual({ args: original });
  });

  test.each([
    [{ ...shown, url: 'https://evil.example' }, ['headers', 'authorization']],
    [{ ...shown, method: 'PUT' }, ['headers', 'authorization']],
    [{ ...shown, url: 'https://evil.example?token=***', headers: {} }, ['url']],
    [{ ...shown, headers: {}, list: ['***'] }, ['list', '0']],
  ])('never puts them into changed arguments: %j', (edited, maskedAt) => {
    expect(unmaskSecrets(original, edited)).toEqual({ maskedAt });
  });

  test('takes changed arguments in which no secret is masked', () => {
    const edited = { ...original, url: 'https://b.example', headers: { authorization: 'Bearer other' } };
    expect(unmaskSecrets(original, edited)).toEqual({ args: edited });
    expect(unmaskSecrets({ text: 'a' }, { text: '***' })).toEqual({ args: { text: '***' } });
    const marked = { text: '***', token: 't' };
    expect(unmaskSecrets(marked, { text: '***', token: 'u' })).toEqual({ args: { text: '***', token: 'u' } });
  });
});
