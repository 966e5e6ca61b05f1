import { expect, test } from '@jest/globals';
import { maskSecrets } from './mask-secrets.ts';

test('maskSecrets masks what is likely to be a secret, at any depth, and nothing else', () => {
  const args = {
    url: 'https://user:pw@api.example.com/x?api_key=abc&page=2#token=def',
    headers: { Authorization: 'Bearer abcdefghijk', 'X-Api-Key': 'k', Accept: 'text/html' },
    list: [
      { name: 'Cookie', value: 'a=1' },
      { key: 'X-Token', value: 'v' },
      { name: 'Accept', value: '*/*' },
    ],
    body: { password: 'p', nested: [{ client_secret: { a: 1 } }], max_tokens: 5, text: 'use Bearer abcdefghijk' },
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
    body: { password: '***', nested: [{ client_secret: '***' }], max_tokens: 5, text: 'use Bearer ***' },
    token: null,
    idempotency_key: 'order-1',
  });
});
