import { describe, expect, test } from '@jest/globals';
import { isConnectionHeader, isHeaderName } from './http-headers.ts';

describe('isConnectionHeader', () => {
  test.each(['Host', 'content-length', 'Transfer-Encoding', 'CONNECTION', 'Proxy-Authorization', 'TE', 'Upgrade'])(
    'is true for %s',
    (name) => expect(isConnectionHeader(name)).toBe(true),
  );

  test.each(['Authorization', 'X-API-Key', 'Content-Type', 'Accept', 'X-Host'])('is false for %s', (name) =>
    expect(isConnectionHeader(name)).toBe(false),
  );
});

describe('isHeaderName', () => {
  test('is true for tokens only', () => {
    for (const name of ['X-API-Key', 'a', '!#$']) expect(isHeaderName(name)).toBe(true);
    for (const name of ['', 'a b', 'a:', 'a\n', 'ä']) expect(isHeaderName(name)).toBe(false);
  });
});
