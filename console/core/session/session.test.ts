import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { serveScript } from '../../../test/support/console/scripted-api.ts';
import { createApi } from '../http/api-client.ts';
import { Problem } from '../http/problem.ts';
import { Session } from './session.ts';

const REFRESH = 'POST /api/auth/browser-session/refresh';
const SIGN_IN = 'POST /api/auth/browser-session';
const SIGN_OUT = 'DELETE /api/auth/browser-session';
const AWAY = { status: 503, body: {} };
const issued = (token: string, seconds = 3600, user = 'ada') => ({
  body: { access_token: token, expires_in: seconds, user_id: user },
});

const signedIn = (token: string, user: string) => ({
  body: { access_token: token, expires_in: 3600, user: { id: user } },
});

const script = serveScript();
const opened: Session[] = [];
afterEach(() => {
  for (const session of opened.splice(0)) session.close();
  localStorage.clear();
  jest.restoreAllMocks();
});

function newSession(): Session {
  const session = new Session();
  opened.push(session);
  return session;
}

/** Keeps the next answer on its way until it is resolved. */
function blockNextAnswer() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const blocked = Promise.withResolvers<void>();
  const send = globalThis.fetch;
  jest.spyOn(globalThis, 'fetch').mockImplementationOnce(async (...request) => {
    const answer = await send(...request);
    blocked.resolve();
    await promise;
    return answer;
  });
  return { isBlocked: blocked.promise, resolve };
}

const asked = () => script.requests.map(({ method, path }) => `${method} ${path}`);
const refreshes = () => script.requests.filter(({ path }) => path.endsWith('/refresh')).length;

describe('Session', () => {
  test('asks once for a token, however many need it at a time', async () => {
    script.answer({ [REFRESH]: issued('one') });
    const session = newSession();
    const tokens = await Promise.all([session.accessToken(), session.accessToken(), session.accessToken()]);
    expect(tokens).toEqual(['one', 'one', 'one']);
    expect([await session.accessToken(), refreshes(), session.state]).toEqual(['one', 1, 'open']);
  });

  test('asks for another token before the one of now ends', async () => {
    script.answer({ [REFRESH]: issued('one', 30) });
    const session = newSession();
    await session.accessToken();
    script.answer({ [REFRESH]: issued('two') });
    expect(await session.accessToken()).toBe('two');
  });

  test('gives its token to the other tabs, which then ask for none', async () => {
    script.answer({ [REFRESH]: issued('one') });
    const [first, second] = [newSession(), newSession()];
    const notified = new Promise<void>((resolve) => second.subscribe(resolve));
    await first.open();
    await notified;
    expect([await second.accessToken(), refreshes()]).toEqual(['one', 1]);
  });

  test('is over in all tabs when one signs out, also when the server is away', async () => {
    script.answer({ [REFRESH]: issued('one'), [SIGN_OUT]: AWAY });
    const [first, second] = [newSession(), newSession()];
    await first.open();
    await second.open();
    const notified = new Promise<void>((resolve) => second.subscribe(resolve));
    await expect(first.signOut()).rejects.toBeInstanceOf(Problem);
    await notified;
    expect([first.state, second.state, await second.accessToken()]).toEqual(['none', 'none', undefined]);
  });

  test('asks for no token after a sign-out until the server was told of it, also on later pages', async () => {
    script.answer({ [REFRESH]: issued('one'), [SIGN_OUT]: AWAY });
    const first = newSession();
    await first.open();
    await expect(first.signOut()).rejects.toMatchObject({ status: 503 });
    expect(await newSession().open()).toBe('none');
    expect(refreshes()).toBe(1);
    script.answer({ [REFRESH]: { status: 401, body: {} }, [SIGN_OUT]: { status: 204 } });
    expect([await newSession().open(), await newSession().open()]).toEqual(['none', 'none']);
    expect(asked().slice(1)).toEqual([SIGN_OUT, SIGN_OUT, SIGN_OUT, REFRESH]);
  });

  test('ends the session of who signed out before another one signs in, or says that it cannot', async () => {
    script.answer({ [REFRESH]: issued('one'), [SIGN_OUT]: AWAY, [SIGN_IN]: signedIn('two', 'bob') });
    const session = newSession();
    await session.open();
    await expect(session.signOut()).rejects.toMatchObject({ status: 503 });
    await expect(session.signIn('bob@example.com', 'a password')).rejects.toMatchObject({ status: 503 });
    expect([session.state, asked().includes(SIGN_IN)]).toEqual(['none', false]);
    script.answer({ [SIGN_OUT]: { status: 204 }, [SIGN_IN]: signedIn('two', 'bob') });
    await session.signIn('bob@example.com', 'a password');
    expect([session.state, session.userId, asked().slice(-2)]).toEqual(['open', 'bob', [SIGN_OUT, SIGN_IN]]);
  });

  test('drops a token that it asked for before the sign-out', async () => {
    script.answer({ [REFRESH]: issued('one'), [SIGN_OUT]: { status: 204 } });
    const session = newSession();
    const arrival = blockNextAnswer();
    const opening = session.accessToken();
    await arrival.isBlocked;
    const leaving = session.signOut();
    arrival.resolve();
    await leaving;
    expect([await opening, session.state, asked()]).toEqual([undefined, 'none', [REFRESH, SIGN_OUT]]);
  });

  test('signs in after a token that is asked for, never at the same time', async () => {
    script.answer({ [REFRESH]: { status: 401, body: {} }, [SIGN_IN]: signedIn('two', 'ada') });
    const session = newSession();
    const [opened] = await Promise.all([session.open(), session.signIn('ada@example.com', 'a password')]);
    expect([opened, session.state, await session.accessToken(), asked()]).toEqual([
      'none',
      'open',
      'two',
      [REFRESH, SIGN_IN],
    ]);
  });

  test('is closed first in the other tabs when another person signs in', async () => {
    script.answer({ [REFRESH]: issued('one'), [SIGN_IN]: signedIn('two', 'bob') });
    const [first, second] = [newSession(), newSession()];
    await first.open();
    await second.open();
    const seen: string[] = [];
    const notified = new Promise<void>((resolve) => {
      first.subscribe(() => {
        seen.push(`${first.state} ${first.userId}`);
        if (first.state === 'open') resolve();
      });
    });
    await second.signIn('bob@example.com', 'a password');
    await notified;
    expect([seen, await first.accessToken()]).toEqual([['none undefined', 'open bob'], 'two']);
  });

  test('stays open when the server cannot be asked, and throws that', async () => {
    script.answer({ [REFRESH]: issued('one', 30) });
    const session = newSession();
    await session.open();
    script.answer({ [REFRESH]: { status: 503, headers: { 'retry-after': '2' }, body: { detail: 'away' } } });
    await expect(session.accessToken()).rejects.toMatchObject({ status: 503, retryAfterSeconds: 2, isPassing: true });
    expect(session.state).toBe('open');
  });

  test('has ended, and is not merely closed, when it had been open', async () => {
    script.answer({ [REFRESH]: issued('one', 30) });
    const session = newSession();
    await session.open();
    script.answer({ [REFRESH]: { status: 401, body: { detail: 'ended' } } });
    expect([await session.accessToken(), session.state]).toEqual([undefined, 'ended']);
  });
});

describe('the api client', () => {
  test('sends a request once more with a new token when the old one was not taken', async () => {
    script.answer({ [REFRESH]: issued('one'), 'POST /api/chats': { status: 401, body: { detail: 'expired' } } });
    const session = newSession();
    await session.open();
    script.answer({ [REFRESH]: issued('two'), 'POST /api/chats': { status: 401, body: { detail: 'expired' } } });
    await createApi(session).POST('/api/chats', { body: { agent_id: 'an-id' } });
    const sent = script.requests.filter(({ path }) => path === '/api/chats');
    expect(sent.map(({ headers, body }) => [headers.authorization, body])).toEqual([
      ['Bearer one', '{"agent_id":"an-id"}'],
      ['Bearer two', '{"agent_id":"an-id"}'],
    ]);
  });

  test('leaves credentials alone that a request brings itself', async () => {
    script.answer({ [REFRESH]: issued('one'), 'POST /api/auth/logout': { status: 204 } });
    const session = newSession();
    await session.open();
    await createApi(session).POST('/api/auth/logout', { headers: { Authorization: 'Bearer own' } });
    expect(script.requests.at(-1)?.headers.authorization).toBe('Bearer own');
  });
});
