import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type GoogleAuthority, json, startGoogleAuthority } from '../../test/support/wire-servers/index.ts';
import { createGuardedHttp } from './network/guarded-http.ts';
import { GoogleSignInFailure, GoogleTokens } from './google-tokens.ts';

const MINUTE_MS = 60_000;
const SCOPES = ['https://www.googleapis.com/auth/cloud-platform'];
const never = new AbortController().signal;

let now = 0;
let authority: GoogleAuthority;
let tokens: GoogleTokens;
beforeEach(async () => {
  now = Date.parse('2026-01-01T00:00:00Z');
  authority = await startGoogleAuthority(() => now);
  const { server, tokenUrl } = authority;
  tokens = new GoogleTokens({ http: createGuardedHttp(server.fetch), now: () => now, tokenUrl });
});
afterEach(() => authority.server.close());

const ask = async (scopes: readonly string[] = SCOPES, signal = never) =>
  tokens.tokenFor({ serviceAccount: authority.serviceAccount, scopes }, signal);

describe('an access token', () => {
  test('is kept until five minutes before its end', async () => {
    expect(await ask()).toBe('ya29.test-1');
    now += 54 * MINUTE_MS;
    expect(await ask()).toBe('ya29.test-1');
    now += MINUTE_MS;
    expect(await ask()).toBe('ya29.test-2');
    expect(authority.given).toEqual([SCOPES[0], SCOPES[0]]);
  });

  test('is asked for once by twenty who need it at once', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, async () => ask()));
    expect(new Set(all)).toEqual(new Set(['ya29.test-1']));
    expect(authority.given).toHaveLength(1);
  });

  test('is another for other scopes, and after it was forgotten', async () => {
    await ask();
    expect(await ask(['a', 'b'])).toBe('ya29.test-2');
    expect(authority.given.at(-1)).toBe('a b');
    tokens.forget({ serviceAccount: authority.serviceAccount, scopes: SCOPES }, 'ya29.test-1');
    expect(await ask()).toBe('ya29.test-3');
    // Whoever learns of the first one later does not take the new one from the others.
    tokens.forget({ serviceAccount: authority.serviceAccount, scopes: SCOPES }, 'ya29.test-1');
    expect(await ask()).toBe('ya29.test-3');
  });

  test('still comes for the others when the first who asked is stopped', async () => {
    const stop = new AbortController();
    const first = ask(SCOPES, stop.signal);
    const second = ask();
    stop.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    expect(await second).toBe('ya29.test-1');
    expect(authority.given).toHaveLength(1);
  });
});

describe('no access token', () => {
  const failure = async (work: Promise<string>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  test('comes for the key of another, and its holder gets none that is kept', async () => {
    await ask();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const serviceAccount = { ...authority.serviceAccount, privateKey: pem };
    const error = await failure(tokens.tokenFor({ serviceAccount, scopes: SCOPES }, never));
    expect(error).toMatchObject({
      isRejected: true,
      message: 'Google rejected the service account (HTTP 400: invalid_grant: Invalid JWT Signature.)',
    });
  });

  test('comes for a key that is none, in words without it', async () => {
    const pem = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n';
    const serviceAccount = { ...authority.serviceAccount, privateKey: pem };
    const error = await failure(tokens.tokenFor({ serviceAccount, scopes: SCOPES }, never));
    expect(error).toBeInstanceOf(GoogleSignInFailure);
    expect(error).toMatchObject({ isRejected: true, message: expect.not.stringContaining('c2Vj') });
    expect(authority.server.requests).toHaveLength(0);
  });

  test.each([
    ['a failure of the server', 503, { error: 'backend' }, 'HTTP 503'],
    ['no token', 200, { expires_in: 10 }, 'without an access token'],
    ['a token that is no header', 200, { access_token: 'a\r\nb', expires_in: 10 }, 'without an access token'],
    ['a redirect', 307, {}, 'HTTP 307'],
  ])('comes from %s, and the next who asks tries again', async (_what, status, body, words) => {
    authority.server.answer(json(status, body, { location: 'https://example.com/' }));
    for (let round = 0; round < 2; round += 1) {
      expect(await failure(ask())).toMatchObject({ isRejected: false, message: expect.stringContaining(words) });
    }
    expect(authority.server.requests).toHaveLength(2);
  });

  test('comes from an address that may not be reached', async () => {
    const { server, serviceAccount } = authority;
    const inside = new GoogleTokens({
      http: createGuardedHttp(server.fetch),
      tokenUrl: 'http://169.254.169.254/token',
    });
    const error = await failure(inside.tokenFor({ serviceAccount, scopes: SCOPES }, never));
    expect(error).toMatchObject({ message: expect.stringContaining('private address') });
  });
});
