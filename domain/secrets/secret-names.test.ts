import { describe, expect, test } from '@jest/globals';
import { isSecretName } from './secret-names.ts';

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
