import { describe, expect, test } from '@jest/globals';
import { credentialInHandshake, credentialOf, verifyBearer } from './bearer.ts';

const tokenOf = async (...authorization: readonly string[]) =>
  verifyBearer(credentialOf({ headersDistinct: { authorization: [...authorization] } }), async (token) => token);

describe('a bearer token', () => {
  test.each(['Bearer abc', 'bearer abc', 'BEARER abc'])('is read from %j', async (header) => {
    expect(await tokenOf(header)).toBe('abc');
  });

  test.each(['', 'Bearer', 'Bearer ', 'Bearer  abc', 'Bearer a b', 'Basic abc', 'abc'])(
    'is not read from %j',
    async (header) => {
      expect(await tokenOf(header)).toBeUndefined();
    },
  );

  test('is read from one header only', async () => {
    expect(await tokenOf()).toBeUndefined();
    expect(await tokenOf('Bearer abc', 'Bearer abc')).toBeUndefined();
  });

  test('is read from an address where that is allowed', async () => {
    expect(await verifyBearer(credentialInHandshake('abc'), async (token) => token)).toBe('abc');
    expect(await verifyBearer(credentialInHandshake(''), async (token) => token)).toBeUndefined();
  });

  test('is not read from other parts of a request', async () => {
    const request = { headersDistinct: {}, query: { access_token: 'abc' }, body: { access_token: 'abc' } };
    expect(await verifyBearer(credentialOf(request), async (token) => token)).toBeUndefined();
  });

  test('that cannot be looked up now is a failure, not a wrong token', async () => {
    const lookUp = async () => Promise.reject(new Error('the database is away'));
    await expect(verifyBearer(credentialInHandshake('abc'), lookUp)).rejects.toThrow('the database is away');
  });
});
